package wiring

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/kind-lab/lab/clusters"
	"github.com/kind-lab/lab/clusters/pool"
)

// The pool, and the limits of the clusters that wait where the user sets none.
const (
	// envPool is the pool's folder.
	envPool       = "LAB_POOL"
	envPoolMax    = "LAB_POOL_MAX"
	envPoolMemory = "LAB_POOL_MEMORY"
	poolMax       = 8
	// poolShare is the part of the host's memory that they may hold.
	poolShare = 3
)

// poolOptions are the limits that the environment sets.
func poolOptions(getenv func(string) string, host clusters.Host) (pool.Options, error) {
	o := pool.Options{Dir: PoolDir(getenv), MaxIdle: poolMax, MaxMemory: host.Memory / poolShare}
	if text := getenv(envPoolMax); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return o, fmt.Errorf("%s is %q: want how many clusters may wait, such as 4; 0 for none", envPoolMax, text)
		}
		o.MaxIdle = n
	}
	if text := getenv(envPoolMemory); text != "" {
		mib, err := strconv.ParseInt(text, 10, 44) // in bytes it is no more than 64 bits hold
		if err != nil || mib < 0 {
			return o, fmt.Errorf("%s is %q: want how many MiB the clusters that wait may hold, such as 4096", envPoolMemory, text)
		}
		o.MaxMemory = mib << 20
	}
	return o, nil
}

// RunsDir is the folder in which runs of this host are noted, wherever their
// own folders are.
func RunsDir(getenv func(string) string) string { return filepath.Join(CacheDir(getenv), "runs") }

// PoolDir is the folder of this host's pool of clusters.
func PoolDir(getenv func(string) string) string {
	if dir := getenv(envPool); dir != "" {
		return dir
	}
	return filepath.Join(CacheDir(getenv), "pool")
}

// CacheDir is where lab keeps what is this host's: LAB_CACHE, or else below the
// user's cache.
func CacheDir(getenv func(string) string) string {
	if dir := getenv("LAB_CACHE"); dir != "" {
		return dir
	}
	if cache, err := os.UserCacheDir(); err == nil {
		return filepath.Join(cache, "lab")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("lab-%d", os.Getuid()))
}
