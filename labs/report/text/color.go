package text

import (
	"hash/fnv"
	"strings"

	"github.com/kind-lab/lab/collectors"
)

// ContainerColor is the SGR sequence in which stern shows the container of a log
// line, as the record has it, or one that follows from the container's name.
// Stern exports neither its colours nor how it chooses one.
func ContainerColor(r collectors.Record) string {
	if c := r.Log.Color; strings.HasPrefix(c, "\x1b[") && strings.Trim(c[2:], "0123456789;") == "m" {
		return c
	}
	hash := fnv.New32a()
	hash.Write([]byte(r.Container)) // never fails
	palette := []string{"\x1b[36m", "\x1b[32m", "\x1b[35m", "\x1b[33m", "\x1b[34m", "\x1b[96m", "\x1b[92m", "\x1b[95m"}
	return palette[hash.Sum32()%uint32(len(palette))]
}
