package clusters

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestEveryCapabilityIsAField holds the list, the fields and Can together: one
// that is forgotten in one of them fails.
func TestEveryCapabilityIsAField(t *testing.T) {
	fields := 0
	of := reflect.TypeFor[Capabilities]()
	for i := range of.NumField() {
		name := of.Field(i).Name
		if !strings.HasPrefix(name, "Can") {
			continue
		}
		fields++
		var c Capabilities
		reflect.ValueOf(&c).Elem().Field(i).SetBool(true)
		can := slices.DeleteFunc(All(), func(do Capability) bool { return !c.Can(do) })
		if len(can) != 1 {
			t.Errorf("%s is %q, want one capability", name, can)
		}
	}
	if fields != len(All()) {
		t.Errorf("%d fields, %d capabilities", fields, len(All()))
	}
	if OwnCluster().Can("fly") {
		t.Error("a capability that does not exist is there")
	}
}

func TestBeyond(t *testing.T) {
	less := OwnCluster()
	less.CanExecOnNodes = false
	if got := OwnCluster().Beyond(less); !slices.Equal(got, []Capability{ExecOnNodes}) {
		t.Errorf("beyond: %q", got)
	}
	if got := less.Beyond(OwnCluster()); len(got) > 0 {
		t.Errorf("beyond: %q", got)
	}
}

// remote is a provider whose clusters cannot be configured.
func remote() *Provider {
	return &Provider{Name: "remote", Summary: "has clusters", Capabilities: func(Spec) Capabilities { return Capabilities{} },
		Hints: map[Capability]string{ExecOnNodes: "set node_access", LoadImages: "push them"}}
}

func TestWhatAMissingCapabilitySays(t *testing.T) {
	for _, tt := range []struct {
		err  *CapabilityError
		want string
	}{
		{remote().Lacks("stage", ExecOnNodes), `cluster stage (provider "remote") cannot run commands on its nodes: set node_access`},
		{remote().Lacks("", Reuse), `the cluster (provider "remote") cannot be cleaned and reused by the next run`},
		{&CapabilityError{Missing: LoadImages}, "the cluster cannot load images onto the nodes"},
	} {
		if tt.err.Error() != tt.want {
			t.Errorf("says %q, want %q", tt.err, tt.want)
		}
	}
	err := fmt.Errorf("a step: %w", remote().Lacks("stage", ExecOnNodes))
	for target, want := range map[*CapabilityError]bool{{}: true, {Missing: ExecOnNodes}: true, {Missing: Reuse}: false} {
		if errors.Is(err, target) != want {
			t.Errorf("is it %+v: not %t", target, want)
		}
	}
}

func TestArgumentsThatProvidersRefuse(t *testing.T) {
	kind := &Provider{Name: "kind", Capabilities: func(Spec) Capabilities { return OwnCluster() }}
	for _, tt := range []struct{ argument, want string }{
		{"image", `"image" is not for provider = "remote", whose clusters cannot be configured by the scenario.`},
		{"component", `"component" is not for`},
		{"images", `"images" is not for provider = "remote", whose clusters cannot load images onto the nodes. Push them.`},
		{"kubernetes", ""}, {"ready_timeout", ""},
	} {
		got := remote().RefusesArgument(tt.argument)
		if (tt.want == "") != (got == "") || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.argument, got, tt.want)
		}
		if got := kind.RefusesArgument(tt.argument); got != "" {
			t.Errorf("%s: %q of one that can", tt.argument, got)
		}
	}
	if remote().NeedsVersion() || !kind.NeedsVersion() {
		t.Error("a version is needed where the cluster can be configured, and only there")
	}
	if _, problem := remote().SettingsProblem(map[string]string{"a": "b"}); problem != "" {
		t.Errorf("settings that nobody checks: %q", problem)
	}
}

func TestProvidersAreFoundByName(t *testing.T) {
	kind := &Provider{Name: ProviderKind, Capabilities: func(Spec) Capabilities { return OwnCluster() }}
	all := Providers{kind, remote()}
	if all.Find("") != kind || all.Find("kind") != kind || all.Find("remote").Name != "remote" || all.Find("other") != nil {
		t.Error("not found")
	}
	if !all.Of(Spec{}).CanReuse || all.Of(Spec{Provider: "other"}) != (Capabilities{}) {
		t.Error("capabilities of another provider")
	}
	if name := (Spec{}).ProviderName(); name != "kind" {
		t.Errorf("the default is %q", name)
	}
}
