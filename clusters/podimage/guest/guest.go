// Package guest holds the sources of programs that are compiled for images of
// pods. They are part of the keys by which built images are found again.
package guest

import (
	"embed"
	"io/fs"
)

//go:embed envoy/main.go envoy/config.go envoy/balance.go
var sources embed.FS

// Sources are the sources; the folder of each program is named like it:
// "envoy".
func Sources() fs.FS { return sources }
