package wiring

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/nodeimage"
)

// environment returns the variables of a map.
func environment(all map[string]string) func(string) string {
	return func(name string) string { return all[name] }
}

func TestLimitsOfThePool(t *testing.T) {
	host := clusters.Host{Memory: 9 << 30}
	for name, tt := range map[string]struct {
		environment map[string]string
		idle        int
		memory      int64
		says        string
	}{
		"nothing set":     {nil, 8, 3 << 30, ""},
		"a number":        {map[string]string{"LAB_POOL_MAX": "2"}, 2, 3 << 30, ""},
		"none may wait":   {map[string]string{"LAB_POOL_MAX": "0"}, 0, 3 << 30, ""},
		"memory":          {map[string]string{"LAB_POOL_MEMORY": "512"}, 8, 512 << 20, ""},
		"no memory":       {map[string]string{"LAB_POOL_MEMORY": "0"}, 8, 0, ""},
		"fewer than none": {map[string]string{"LAB_POOL_MAX": "-1"}, 0, 0, `LAB_POOL_MAX is "-1": want how many clusters may wait`},
		"no number":       {map[string]string{"LAB_POOL_MAX": "some"}, 0, 0, `LAB_POOL_MAX is "some"`},
		"half a cluster":  {map[string]string{"LAB_POOL_MAX": "1.5"}, 0, 0, `LAB_POOL_MAX is "1.5"`},
		"with its unit":   {map[string]string{"LAB_POOL_MEMORY": "4GiB"}, 0, 0, `LAB_POOL_MEMORY is "4GiB": want how many MiB`},
		"less than none":  {map[string]string{"LAB_POOL_MEMORY": "-5"}, 0, 0, `LAB_POOL_MEMORY is "-5"`},
		"more than bytes": {map[string]string{"LAB_POOL_MEMORY": "9000000000000000"}, 0, 0, `LAB_POOL_MEMORY is "9000000000000000"`},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := poolOptions(environment(tt.environment), host)
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("got %+v, %v; want an error with %q", o, err, tt.says)
				}
				return
			}
			if err != nil || o.MaxIdle != tt.idle || o.MaxMemory != tt.memory {
				t.Errorf("%d clusters of %d bytes, %v; want %d of %d", o.MaxIdle, o.MaxMemory, err, tt.idle, tt.memory)
			}
		})
	}
}

// TestFoldersOfThisHost holds that LAB_CACHE moves all of them, and LAB_POOL the
// pool alone.
func TestFoldersOfThisHost(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	for name, tt := range map[string]struct {
		environment       map[string]string
		cache, pool, runs string
	}{
		"nothing set": {nil, filepath.Join(home, "lab"), filepath.Join(home, "lab", "pool"), filepath.Join(home, "lab", "runs")},
		"a cache":     {map[string]string{"LAB_CACHE": "/c"}, "/c", "/c/pool", "/c/runs"},
		"a pool":      {map[string]string{"LAB_POOL": "/p"}, filepath.Join(home, "lab"), "/p", filepath.Join(home, "lab", "runs")},
		"both":        {map[string]string{"LAB_CACHE": "/c", "LAB_POOL": "/p"}, "/c", "/p", "/c/runs"},
	} {
		get := environment(tt.environment)
		if CacheDir(get) != tt.cache || PoolDir(get) != tt.pool || RunsDir(get) != tt.runs {
			t.Errorf("%s: %s, %s, %s", name, CacheDir(get), PoolDir(get), RunsDir(get))
		}
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if dir := CacheDir(environment(nil)); !filepath.IsAbs(dir) || !strings.Contains(dir, "lab-") {
		t.Errorf("without a home: %s", dir)
	}
}

func TestLinesOfABuild(t *testing.T) {
	for name, tt := range map[string]struct {
		event nodeimage.Event
		want  string
	}{
		"a stage":       {nodeimage.Event{Stage: "pulling"}, "pulling"},
		"one of many":   {nodeimage.Event{Stage: "containerd 2.3.4", Step: 3, Steps: 9}, "[3/9] containerd 2.3.4"},
		"for a while":   {nodeimage.Event{Stage: "kubelet", Elapsed: 12400 * time.Millisecond, Text: "compiling"}, "kubelet: 12s: compiling"},
		"just begun":    {nodeimage.Event{Stage: "kubelet", Elapsed: 900 * time.Millisecond, Text: "compiling"}, "kubelet: compiling"},
		"there already": {nodeimage.Event{Stage: "kubelet", State: nodeimage.Cached, Elapsed: time.Minute}, "kubelet: there already"},
		"done":          {nodeimage.Event{Stage: "kubelet", Step: 9, Steps: 9, State: nodeimage.Done, Elapsed: 1234 * time.Millisecond}, "[9/9] kubelet: done in 1.2s"},
	} {
		var got string
		Lines(func(line string) { got = line })(tt.event)
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestRandomNamesAreNamesOfHosts holds that what is drawn may be part of the name
// of a host, and is not drawn twice.
func TestRandomNamesAreNamesOfHosts(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		text := RandomLower(12)
		if len(text) != 12 || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || seen[text] {
			t.Fatalf("drew %q", text)
		}
		seen[text] = true
	}
}
