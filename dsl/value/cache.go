package value

import (
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"
)

// Cache keeps the values of pods from one Scope to the next, since most do not
// change from one observation to the next. It goes by the *Pod, which must not
// be changed once a Scope has held it. Its zero value is empty; it may be used
// by several goroutines.
type Cache struct {
	mu   sync.Mutex
	pods map[podKey]cty.Value
}

// podKey is a pod with what its value depends on besides.
type podKey struct {
	pod  *Pod
	logs bool
	// conditions are those that were asked for, joined.
	conditions string
}

// maxCached bounds the values that are kept; then all are let go.
const maxCached = 4096

// pod is the value that was kept, or the one that is made; made always where
// there is no cache.
func (c *Cache) pod(key podKey, make func() cty.Value) cty.Value {
	if c == nil {
		return make()
	}
	c.mu.Lock()
	v, ok := c.pods[key]
	c.mu.Unlock()
	if ok {
		return v
	}
	v = make()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pods == nil || len(c.pods) >= maxCached {
		c.pods = map[podKey]cty.Value{}
	}
	c.pods[key] = v
	return v
}

// asked are the conditions that are asked for, as a key.
func (c *converter) asked() string { return strings.Join(sortedKeys(c.keys), "\x00") }
