package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"
)

//go:embed assets
var embedded embed.FS

// index is the document itself; all other assets are asked for by it.
const index = "index.html"

// kinds are the types of the files there are. The system's own table would let the
// machine decide what a browser makes of them.
var kinds = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".png":  "image/png",
	".svg":  "image/svg+xml",
}

// asset is one file, ready to be sent.
type asset struct {
	kind, etag string
	plain      []byte
	zipped     []byte // nil where it would not be smaller
}

// Assets are the files of the page. They never change.
type Assets struct{ files map[string]*asset }

// builtIn are the files that are built in, pressed once for all listeners.
var builtIn = sync.OnceValues(func() (*Assets, error) {
	sub, err := fs.Sub(embedded, "assets")
	if err != nil {
		return nil, fmt.Errorf("the files of the page: %w", err)
	}
	return read(sub)
})

// New gives the files that are built in. base is the last part of the path under which the
// document is served: the document names its files relative to it.
func New(base string) (*Assets, error) {
	a, err := builtIn()
	if err != nil {
		return nil, err
	}
	document, err := newAsset(a.files[index].kind, bytes.ReplaceAll(a.files[index].plain, []byte(`"app/`), []byte(`"`+base+`/`)))
	if err != nil {
		return nil, fmt.Errorf("the document of the page: %w", err)
	}
	a = &Assets{files: maps.Clone(a.files)}
	a.files[index] = document
	return a, nil
}

func read(files fs.FS) (*Assets, error) {
	a := &Assets{files: map[string]*asset{}}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		kind := kinds[path.Ext(name)]
		if kind == "" {
			return fmt.Errorf("%s: nobody has said of what type it is", name)
		}
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		a.files[name], err = newAsset(kind, b)
		return err
	})
	if err == nil && a.files[index] == nil {
		err = fmt.Errorf("there is no %s", index)
	}
	if err != nil {
		return nil, fmt.Errorf("the files of the page: %w", err)
	}
	return a, nil
}

func newAsset(kind string, b []byte) (*asset, error) {
	sum := sha256.Sum256(b)
	f := &asset{kind: kind, etag: hex.EncodeToString(sum[:12]), plain: b}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if out.Len() < len(b) {
		f.zipped = out.Bytes()
	}
	return f, nil
}

// Names lists the files beside the document, sorted.
func (a *Assets) Names() []string {
	names := slices.Sorted(maps.Keys(a.files))
	return slices.DeleteFunc(names, func(n string) bool { return n == index })
}
