package images

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/kind-lab/lab/clusters"
)

func TestPublished(t *testing.T) {
	repository := strings.TrimSuffix(serve(t), ":v1")
	image, err := random.Image(16, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"v1.28.9", "v1.28.15", "v1.29.0", "latest"} {
		ref, err := name.NewTag(repository + ":" + tag)
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Write(ref, image); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name, repository, constraint, want, says string
		silent                                   bool
	}{
		{name: "the newest of a line", repository: repository, constraint: "1.28", want: "1.28.15"},
		{name: "one version", repository: repository, constraint: "1.28.9", want: "1.28.9"},
		{name: "one that is not there", repository: repository, constraint: "1.28.10"},
		{name: "none of a line", repository: repository, constraint: "1.30"},
		{name: "no such repository", repository: repository + "/other", constraint: "1.28"},
		{name: "a registry that does not answer", repository: "127.0.0.1:1/kindest/node", constraint: "1.28", says: "refused", silent: true},
		{name: "no name", repository: "A B", constraint: "1.28", says: "reading the name of the repository"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := clusters.ParseConstraint(tc.constraint)
			if err != nil {
				t.Fatal(err)
			}
			r := newRegistry()
			got, found, err := r.Published(t.Context(), tc.repository, c)
			if (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("Published: %v, want %q", err, tc.says)
			}
			if found != (tc.want != "") || found && got.String() != tc.want {
				t.Errorf("Published = %s, %t; want %q", got, found, tc.want)
			}
			if silent := len(r.silent) > 0; silent != tc.silent {
				t.Errorf("remembered as silent: %v", r.silent)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := newRegistry()
	c, err := clusters.ParseConstraint("1.28")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Published(ctx, repository, c); !errors.Is(err, context.Canceled) || len(r.silent) > 0 {
		t.Errorf("cancelled: %v, silent %v", err, r.silent)
	}
}
