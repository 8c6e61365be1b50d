// Package oci writes images: their layers, their configurations, and archives that
// container engines and containerd load.
package oci

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"

	"github.com/kind-lab/lab/clusters/internal/store"
)

// refAnnotation and nameAnnotation are where an image's name stands in an OCI
// archive: the one of the specification, and the one that containerd reads.
const (
	refAnnotation  = "org.opencontainers.image.ref.name"
	nameAnnotation = "io.containerd.image.name"
)

// DefaultPath is the search path in the images made here.
const DefaultPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Archive is a set of images in a folder, from which one stream for "docker
// load" and for containerd's import can be written.
type Archive struct {
	Dir string
	// Compress writes layers with zstd, which containerd reads and older
	// Docker engines do not.
	Compress bool

	blobs  map[string]bool
	index  []v1.Descriptor
	docker []dockerManifest
}

// dockerManifest is an entry of manifest.json, which "docker load" reads.
type dockerManifest struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// Add puts an image of one layer into the archive, under all the names.
func (a *Archive) Add(names []string, config v1.Config, files []File) error {
	layer, diffID, err := a.addLayer(files)
	if err != nil {
		return fmt.Errorf("making image %s: %w", names[0], store.SpaceError(err))
	}
	cfg := v1.ConfigFile{
		Architecture: runtime.GOARCH, OS: "linux", Config: config, Created: v1.Time{Time: time.Unix(0, 0).UTC()},
		RootFS:  v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{diffID}},
		History: []v1.History{{CreatedBy: "lab"}},
	}
	cfgDesc, err := a.addJSON(cfg, types.OCIConfigJSON)
	if err != nil {
		return fmt.Errorf("making image %s: %w", names[0], store.SpaceError(err))
	}
	manifest, err := a.addJSON(v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: cfgDesc, Layers: []v1.Descriptor{layer},
	}, types.OCIManifestSchema1)
	if err != nil {
		return fmt.Errorf("making image %s: %w", names[0], store.SpaceError(err))
	}
	for _, name := range names {
		d := manifest
		d.Annotations = map[string]string{nameAnnotation: name, refAnnotation: name}
		d.Platform = &v1.Platform{OS: cfg.OS, Architecture: cfg.Architecture}
		a.index = append(a.index, d)
	}
	a.docker = append(a.docker, dockerManifest{Config: blobPath(cfgDesc.Digest), RepoTags: names, Layers: []string{blobPath(layer.Digest)}})
	return nil
}

// addLayer writes a layer's blob in one pass, and returns its descriptor and
// the hash of its uncompressed form.
func (a *Archive) addLayer(files []File) (v1.Descriptor, v1.Hash, error) {
	media := types.OCIUncompressedLayer
	if a.Compress {
		media = types.OCILayerZStd
	}
	diff := sha256.New()
	desc, err := a.addBlob(media, func(w io.Writer) error {
		if !a.Compress {
			return WriteTar(io.MultiWriter(w, diff), files)
		}
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedDefault))
		if err != nil {
			return err
		}
		return errors.Join(WriteTar(io.MultiWriter(z, diff), files), z.Close())
	})
	return desc, hashOf(diff), err
}

func (a *Archive) addJSON(value any, media types.MediaType) (v1.Descriptor, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return v1.Descriptor{}, err
	}
	return a.addBlob(media, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// addBlob stores what write writes under its hash.
func (a *Archive) addBlob(media types.MediaType, write func(io.Writer) error) (d v1.Descriptor, err error) {
	f, err := os.CreateTemp(a.Dir, "blob-")
	if err != nil {
		return d, err
	}
	sum := sha256.New()
	size := &counter{}
	err = errors.Join(write(io.MultiWriter(f, sum, size)), f.Close())
	if err != nil {
		return d, errors.Join(err, os.Remove(f.Name()))
	}
	h := hashOf(sum)
	if a.blobs == nil {
		a.blobs = map[string]bool{}
	}
	a.blobs[h.Hex] = true
	if err := os.Rename(f.Name(), filepath.Join(a.Dir, h.Hex)); err != nil {
		return d, err
	}
	return v1.Descriptor{MediaType: media, Digest: h, Size: size.n}, nil
}

// Save writes the archive as a tar stream.
func (a *Archive) Save(w io.Writer) error {
	index, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: a.index})
	if err != nil {
		return fmt.Errorf("writing images: %w", err)
	}
	docker, err := json.Marshal(a.docker)
	if err != nil {
		return fmt.Errorf("writing images: %w", err)
	}
	files := []File{
		{Path: "oci-layout", Mode: 0o644, Data: []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		{Path: "index.json", Mode: 0o644, Data: index},
		{Path: "manifest.json", Mode: 0o644, Data: docker},
	}
	for _, hex := range slices.Sorted(maps.Keys(a.blobs)) {
		files = append(files, File{Path: "blobs/sha256/" + hex, Mode: 0o644, Source: filepath.Join(a.Dir, hex)})
	}
	if err := WriteTar(w, files); err != nil {
		return fmt.Errorf("writing images: %w", err)
	}
	return nil
}

// blobPath is where a blob lies in an archive.
func blobPath(h v1.Hash) string { return "blobs/sha256/" + h.Hex }

func hashOf(h hash.Hash) v1.Hash {
	return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(h.Sum(nil))}
}

// counter counts what is written to it, in bytes.
type counter struct{ n int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}
