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
	"net/http"
	"path"
	"slices"
	"strconv"
	"sync"
)

//go:embed assets
var embedded embed.FS

// index is the document, which loads all other assets.
const index = "index.html"

// kinds are the types of the files. With the system's table, the types would depend on the machine.
var kinds = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".png":  "image/png",
	".svg":  "image/svg+xml",
}

// asset is one file, ready to send.
type asset struct {
	kind, etag string
	plain      []byte
	zipped     []byte // nil if it would not be smaller
}

// Assets are the files of the page. They are read-only.
type Assets struct{ files map[string]*asset }

// builtIn are the embedded files, compressed once for all listeners.
var builtIn = sync.OnceValues(func() (*Assets, error) {
	sub, err := fs.Sub(embedded, "assets")
	if err != nil {
		return nil, fmt.Errorf("read files of the page: %w", err)
	}
	return read(sub)
})

// New returns the embedded files. base is the last segment of the path of the document, whose links
// are relative to it.
func New(base string) (*Assets, error) {
	a, err := builtIn()
	if err != nil {
		return nil, err
	}
	document, err := newAsset(a.files[index].kind, bytes.ReplaceAll(a.files[index].plain, []byte(`"app/`), []byte(`"`+base+`/`)))
	if err != nil {
		return nil, fmt.Errorf("compress document of the page: %w", err)
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
			return fmt.Errorf("%s: unknown type of file", name)
		}
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		a.files[name], err = newAsset(kind, b)
		return err
	})
	if err == nil && a.files[index] == nil {
		err = fmt.Errorf("%s is missing", index)
	}
	if err != nil {
		return nil, fmt.Errorf("read files of the page: %w", err)
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

// Names returns the files beside the document, sorted.
func (a *Assets) Names() []string {
	names := slices.Sorted(maps.Keys(a.files))
	return slices.DeleteFunc(names, func(n string) bool { return n == index })
}

// Serve answers with a file by its name; "" is the document. It returns false and writes nothing if
// the file does not exist.
func (a *Assets) Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	if name == index { // its links are relative to the path of the document
		return false
	}
	if name == "" {
		name = index
	}
	f := a.files[name]
	if f == nil {
		return false
	}
	h := w.Header()
	guard(h)
	h.Set("Content-Security-Policy", Policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache") // kept, but checked each time
	h.Add("Vary", "Accept-Encoding")
	body, etag := f.plain, `"`+f.etag+`"`
	if f.zipped != nil && takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body, etag = f.zipped, `"`+f.etag+`-gz"`
	}
	h.Set("Etag", etag)
	if known(r, f.etag) {
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = paced{w}.Write(body) // the client may have gone
	}
	return true
}
