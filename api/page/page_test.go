package page

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

func get(serve func(http.ResponseWriter, *http.Request) bool, method string, head ...string) (*httptest.ResponseRecorder, bool) {
	r := httptest.NewRequest(method, "/", nil)
	for i := 0; i < len(head); i += 2 {
		r.Header.Add(head[i], head[i+1])
	}
	w := httptest.NewRecorder()
	ok := serve(w, r)
	return w, ok
}

func (a *Assets) at(name string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool { return a.Serve(w, r, name) }
}

func (f *Folder) at(name string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool { return f.Serve(w, r, name) }
}

// What the document names is there, and nothing in it needs more than the policy gives.
func TestDocument(t *testing.T) {
	a, err := New("ui")
	if err != nil {
		t.Fatal(err)
	}
	w, ok := get(a.at(""), "GET")
	if !ok || w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatal(ok, w.Code, w.Header())
	}
	text := w.Body.String()
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"#]*)"`).FindAllStringSubmatch(text, -1) {
		name, ok := strings.CutPrefix(m[1], "ui/")
		if ok {
			_, ok = get(a.at(name), "GET")
		}
		if !ok {
			t.Errorf("the document names %s, which is not there", m[1])
		}
	}
	if regexp.MustCompile(`(?i)\sstyle=|\son[a-z]+=|<style|<script(?:\s+[a-z]+="[^"]*")*>[^<]`).MatchString(text) {
		t.Error("the document has a script or a style in it, which the policy keeps from working")
	}
	for _, name := range a.Names() {
		w, ok := get(a.at(name), "GET")
		body := w.Body.Bytes()
		if !ok || w.Code != 200 || w.Header().Get("Content-Security-Policy") != Policy || w.Header().Get("X-Content-Type-Options") != "nosniff" || len(body) == 0 {
			t.Errorf("%s: %v %d %v", name, ok, w.Code, w.Header())
		}
		if !strings.HasSuffix(name, ".js") {
			continue
		}
		for _, m := range regexp.MustCompile(`(?:from|import)\s*\(?"(\./[^"]*)"`).FindAllSubmatch(body, -1) {
			if _, ok := get(a.at(string(m[1][2:])), "GET"); !ok {
				t.Errorf("%s imports %s, which is not there", name, m[1])
			}
		}
		if m := regexp.MustCompile(`\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval)\b`).Find(body); m != nil {
			t.Errorf("%s uses %s, which makes a document of texts", name, m)
		}
	}
	for _, name := range []string{"index.html", "nosuch.js", "../page.go", "assets/main.js", "/main.js", "."} {
		if w, ok := get(a.at(name), "GET"); ok || w.Body.Len() > 0 {
			t.Errorf("%s is there", name)
		}
	}
}

// A browser that has a file gets 304, and one that accepts gzip gets it compressed.
func TestCaches(t *testing.T) {
	long := strings.Repeat("all is well; ", 100)
	a, err := read(fstest.MapFS{"index.html": {Data: []byte(`<a href="app/x">`)}, "main.js": {Data: []byte(long)}})
	if err != nil {
		t.Fatal(err)
	}
	w, _ := get(a.at("main.js"), "GET")
	etag := w.Header().Get("Etag")
	if w.Body.String() != long || etag == "" || w.Header().Get("Content-Encoding") != "" || w.Header().Get("Vary") != "Accept-Encoding" {
		t.Error(w.Header())
	}
	z, _ := get(a.at("main.js"), "GET", "Accept-Encoding", "br, GZIP;q=0.5")
	r, err := gzip.NewReader(z.Body)
	if err != nil {
		t.Fatal(err, z.Header())
	}
	if b, err := io.ReadAll(r); err != nil || string(b) != long || z.Header().Get("Content-Encoding") != "gzip" || z.Header().Get("Etag") == etag {
		t.Error(err, z.Header())
	}
	for head, zipped := range map[string]bool{"gzip;q=0": false, "*": true, "gzip;q=0, *": false, "identity": false, "gzip;q=x": false, "*;q=0": false} {
		if w, _ := get(a.at("main.js"), "GET", "Accept-Encoding", head); (w.Header().Get("Content-Encoding") == "gzip") != zipped {
			t.Errorf("%s: %v", head, w.Header())
		}
	}
	for head, want := range map[string]int{etag: 304, "W/" + etag: 304, `"x", ` + z.Header().Get("Etag"): 304, "*": 304, `"x"`: 200, "": 200} {
		w, _ := get(a.at("main.js"), "GET", "If-None-Match", head)
		if w.Code != want || (want == 304) != (w.Body.Len() == 0) || w.Header().Get("Etag") != etag || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %d %v", head, w.Code, w.Header())
		}
	}
	if w, _ := get(a.at("main.js"), "HEAD"); w.Body.Len() != 0 || w.Header().Get("Content-Length") != "1300" {
		t.Error(w.Header())
	}
	other, err := read(fstest.MapFS{"index.html": {Data: []byte("x")}, "main.js": {Data: []byte(long + "!")}})
	if err != nil {
		t.Fatal(err)
	}
	if w, _ := get(other.at("main.js"), "GET", "If-None-Match", etag); w.Code != 200 {
		t.Error("another content has the same tag")
	}
	if _, err := read(fstest.MapFS{"index.html": {}, "x.exe": {}}); err == nil {
		t.Error("a file of a type that nobody knows was taken")
	}
	if _, err := read(fstest.MapFS{"main.js": {}}); err == nil {
		t.Error("a page without a document was taken")
	}
}

// A folder gives its own files and nothing else.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"static/a.css": "a{}", "static/sub/b.txt": "hello", "static/.env": "secret", "static/.git/config": "secret", "secret": "secret", "static/noext": "?"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	static := filepath.Join(dir, "static")
	for name, to := range map[string]string{"out": "../secret", "abs": "/etc/passwd", "up": "..", "in": "a.css", "hidden": ".env/x"} {
		if err := os.Symlink(to, filepath.Join(static, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(static, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFolder(static)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, want := range map[string]string{"a.css": "text/css; charset=utf-8", "sub/b.txt": "text/plain; charset=utf-8", "noext": "application/octet-stream", "in": "application/octet-stream"} {
		w, ok := get(f.at(name), "GET")
		if !ok || w.Code != 200 || w.Header().Get("Content-Type") != want || w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Body.Len() == 0 {
			t.Errorf("%s: %v %d %v", name, ok, w.Code, w.Header())
		}
	}
	for _, name := range []string{
		"", ".", "..", "../secret", "sub/../a.css", "sub/../../secret", "/a.css", "a.css/", "sub", "sub/", ".env", ".git/config", "out", "abs", "up/secret", "hidden", "pipe",
		"nosuch", "a.css\x00", `..\secret`, "sub//b.txt", "./a.css", static + "/a.css",
	} {
		if w, ok := get(f.at(name), "GET"); ok || w.Body.Len() > 0 || len(w.Header()) > 0 {
			t.Errorf("%q is served: %v %s", name, w.Header(), w.Body)
		}
	}
	w, _ := get(f.at("sub/b.txt"), "GET", "Range", "bytes=1-2")
	if w.Code != 206 || w.Body.String() != "el" {
		t.Error(w.Code, w.Body)
	}
	if w, _ := get(f.at("sub/b.txt"), "HEAD"); w.Body.Len() != 0 || w.Header().Get("Content-Length") != "5" {
		t.Error(w.Header())
	}
	if _, err := OpenFolder(filepath.Join(dir, "nosuch")); err == nil {
		t.Error("a folder that is not there was opened")
	}
}

// A file in the place of the page is read anew by each request.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ui.html")
	if err := os.WriteFile(name, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if w, ok := get(f.Serve, "GET"); !ok || w.Body.String() != text || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Error(ok, w.Body, w.Header())
		}
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if w, ok := get(f.Serve, "GET"); ok || w.Body.Len() > 0 {
		t.Error("a file that has gone is served")
	}
	for _, bad := range []string{name, t.TempDir()} {
		if _, err := OpenFile(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Whatever a path and the headers are, a folder gives no file from outside.
func FuzzFolder(f *testing.F) {
	dir := f.TempDir()
	static := filepath.Join(dir, "static")
	if err := os.MkdirAll(filepath.Join(static, "sub"), 0o700); err != nil {
		f.Fatal(err)
	}
	for name, text := range map[string]string{"secret": "SECRET", "static/.x": "SECRET", "static/sub/ok": "fine"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(static, "link")); err != nil {
		f.Fatal(err)
	}
	folder, err := OpenFolder(static)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = folder.Close() })
	a, err := New("app")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"sub/ok", "../secret", "link", ".x", "sub/../.x", "main.js", "%2e%2e/secret"} {
		f.Add(name, "gzip", "bytes=0-1")
	}
	f.Fuzz(func(t *testing.T, name, coding, ranges string) {
		head := []string{"Accept-Encoding", coding, "Range", ranges, "If-None-Match", coding}
		w, _ := get(folder.at(name), "GET", head...)
		if bytes.Contains(w.Body.Bytes(), []byte("SECRET")) {
			t.Fatalf("%q gives a file that nobody is to see", name)
		}
		get(a.at(name), "GET", head...)
	})
}
