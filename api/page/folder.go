package page

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"

	"github.com/momtree/mom/internal/posix"
)

// Folder is a directory of files to serve: Salt's option static.
type Folder struct{ root *os.Root }

// OpenFolder opens a directory. Files outside of it are never served, wherever links in it lead.
func OpenFolder(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open directory of static files: %w", err)
	}
	return &Folder{root}, nil
}

// Close releases the directory.
func (f *Folder) Close() error { return f.root.Close() }

// Serve answers with a file by its path in the directory. It returns false and writes nothing if the
// file does not exist. Names that begin with a dot, directories, pipes and devices do not count.
func (f *Folder) Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	if !fs.ValidPath(name) || name == "." || strings.ContainsRune(name, '\\') {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		//mutant:api-static-hidden
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	// Without O_NONBLOCK opening a pipe would wait for a writer.
	//mutant:api-static-links
	file, err := f.root.OpenFile(name, os.O_RDONLY|posix.NonBlock, 0)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // it was only read
	return serveFile(w, r, file)
}

// File is a file that replaces the page: Salt's option app. Each request reads it again.
type File struct{ name string }

// OpenFile returns a file, or an error if it cannot be read.
func OpenFile(name string) (File, error) {
	f := File{name}
	file, err := f.open()
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return f, fmt.Errorf("open file of the page: %w", err)
	}
	return f, nil
}

func (f File) open() (*os.File, error) {
	file, err := os.OpenFile(f.name, os.O_RDONLY|posix.NonBlock, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is not a regular file", f.name), err, file.Close())
	}
	return file, nil
}

// Serve answers with the file. It returns false and writes nothing if the file does not exist.
func (f File) Serve(w http.ResponseWriter, r *http.Request) bool {
	file, err := f.open()
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // it was only read
	return serveFile(w, r, file)
}

func serveFile(w http.ResponseWriter, r *http.Request, file *os.File) bool {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	kind := kinds[strings.ToLower(path.Ext(file.Name()))]
	if kind == "" {
		kind = mime.TypeByExtension(path.Ext(file.Name()))
	}
	if kind == "" {
		kind = "application/octet-stream"
	}
	h := w.Header()
	guard(h)
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-cache")
	http.ServeContent(paced{w}, r, "", info.ModTime(), file)
	return true
}
