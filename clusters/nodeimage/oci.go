package nodeimage

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
)

// refAnnotation and nameAnnotation are where an image's name stands in an OCI
// archive: the one of the specification, and the one that containerd reads.
const (
	refAnnotation  = "org.opencontainers.image.ref.name"
	nameAnnotation = "io.containerd.image.name"
)

// layerFile is one entry of a layer.
type layerFile struct {
	// path is below the root, without a leading slash.
	path string
	// mode holds the permissions, os.ModeDir for a folder and os.ModeSticky.
	mode os.FileMode
	// data or the file source are its content; link makes it a symbolic link.
	data   []byte
	source string
	link   string
}

// executable is a file that is taken from source.
func executable(path, source string) layerFile {
	return layerFile{path: path, mode: 0o755, source: source}
}

// writeTar writes files as a whole tar archive: see writeLayer.
func writeTar(w io.Writer, files []layerFile) error {
	t := tar.NewWriter(w)
	if err := writeLayer(t, files); err != nil {
		return err
	}
	return t.Close()
}

// writeLayer writes files as entries of a tar archive: all owned by root and without
// times, so that the same files are the same layer. Folders above a file come
// before it.
func writeLayer(w *tar.Writer, files []layerFile) error {
	return writeLayerOver(w, files, map[string]bool{".": true})
}

// writeLayerOver is writeLayer where the folders in made are there already.
func writeLayerOver(w *tar.Writer, files []layerFile, made map[string]bool) error {
	for _, f := range files {
		if err := writeParents(w, f.path, made); err != nil {
			return err
		}
		if f.mode.IsDir() && made[path.Clean(f.path)] {
			continue
		}
		made[path.Clean(f.path)] = f.mode.IsDir()
		if err := writeEntry(w, f); err != nil {
			return fmt.Errorf("writing %s to an image: %w", f.path, err)
		}
	}
	return nil
}

func writeParents(w *tar.Writer, name string, made map[string]bool) error {
	dir := path.Dir(path.Clean(name))
	if made[dir] {
		return nil
	}
	if err := writeParents(w, dir, made); err != nil {
		return err
	}
	made[dir] = true
	return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, Format: tar.FormatPAX})
}

func writeEntry(w *tar.Writer, f layerFile) error {
	h := &tar.Header{Name: f.path, Mode: int64(f.mode.Perm()), Format: tar.FormatPAX}
	if f.mode&os.ModeSticky != 0 {
		h.Mode |= 0o1000
	}
	switch {
	case f.mode.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, strings.TrimSuffix(f.path, "/")+"/"
		return w.WriteHeader(h)
	case f.link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.link, 0o777
		return w.WriteHeader(h)
	case f.source == "":
		h.Typeflag, h.Size = tar.TypeReg, int64(len(f.data))
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := w.Write(f.data)
		return err
	}
	src, err := os.Open(f.source)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(w, src)
	return err
}

// archive is a set of images in a folder, from which one stream for "docker
// load" and for containerd's import can be written.
type archive struct {
	dir string
	// compress writes layers with zstd, which containerd reads and older
	// Docker engines do not.
	compress bool

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

// add puts an image of one layer into the archive, under all the names.
func (a *archive) add(names []string, config v1.Config, files []layerFile) error {
	layer, diffID, err := a.addLayer(files)
	if err != nil {
		return fmt.Errorf("making image %s: %w", names[0], spaceError(err))
	}
	cfg := v1.ConfigFile{
		Architecture: runtime.GOARCH, OS: "linux", Config: config, Created: v1.Time{Time: time.Unix(0, 0).UTC()},
		RootFS:  v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{diffID}},
		History: []v1.History{{CreatedBy: "lab"}},
	}
	cfgDesc, err := a.addJSON(cfg, types.OCIConfigJSON)
	if err != nil {
		return fmt.Errorf("making image %s: %w", names[0], spaceError(err))
	}
	manifest, err := a.addJSON(v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: cfgDesc, Layers: []v1.Descriptor{layer},
	}, types.OCIManifestSchema1)
	if err != nil {
		return fmt.Errorf("making image %s: %w", names[0], spaceError(err))
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
func (a *archive) addLayer(files []layerFile) (v1.Descriptor, v1.Hash, error) {
	media := types.OCIUncompressedLayer
	if a.compress {
		media = types.OCILayerZStd
	}
	diff := sha256.New()
	desc, err := a.addBlob(media, func(w io.Writer) error {
		if !a.compress {
			return writeTar(io.MultiWriter(w, diff), files)
		}
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedDefault))
		if err != nil {
			return err
		}
		return errors.Join(writeTar(io.MultiWriter(z, diff), files), z.Close())
	})
	return desc, hashOf(diff), err
}

func (a *archive) addJSON(value any, media types.MediaType) (v1.Descriptor, error) {
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
func (a *archive) addBlob(media types.MediaType, write func(io.Writer) error) (d v1.Descriptor, err error) {
	f, err := os.CreateTemp(a.dir, "blob-")
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
	if err := os.Rename(f.Name(), filepath.Join(a.dir, h.Hex)); err != nil {
		return d, err
	}
	return v1.Descriptor{MediaType: media, Digest: h, Size: size.n}, nil
}

// writeTo writes the archive as a tar stream.
func (a *archive) writeTo(w io.Writer) error {
	index, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: a.index})
	if err != nil {
		return fmt.Errorf("writing images: %w", err)
	}
	docker, err := json.Marshal(a.docker)
	if err != nil {
		return fmt.Errorf("writing images: %w", err)
	}
	files := []layerFile{
		{path: "oci-layout", mode: 0o644, data: []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		{path: "index.json", mode: 0o644, data: index},
		{path: "manifest.json", mode: 0o644, data: docker},
	}
	for _, hex := range sortedKeys(a.blobs) {
		files = append(files, layerFile{path: "blobs/sha256/" + hex, mode: 0o644, source: filepath.Join(a.dir, hex)})
	}
	if err := writeTar(w, files); err != nil {
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

// stream lets write write what the returned reader reads. Closing the reader
// ends write.
func stream(write func(io.Writer) error) io.ReadCloser {
	r, w := io.Pipe()
	go func() { w.CloseWithError(write(w)) }()
	return r
}
