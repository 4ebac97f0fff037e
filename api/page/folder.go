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
	"syscall"
)

// Folder is a folder of files that somebody has put there to be served: Salt's option
// static.
type Folder struct{ root *os.Root }

// OpenFolder opens a folder. No file outside of it is ever served, wherever links in it
// lead.
func OpenFolder(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder of files to serve: %w", err)
	}
	return &Folder{root}, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Serve answers with a file by its path in the folder. It reports whether there is such a
// file: names that begin with a dot, folders, pipes and devices are none.
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
	// Without O_NONBLOCK the opening of a pipe would wait for somebody who writes.
	//mutant:api-static-links
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // it was only read
	return serveFile(w, r, file)
}

// File is one file that somebody has put in the place of the page: Salt's option app. It is
// read anew by each request.
type File struct{ name string }

// OpenFile looks whether the file can be read.
func OpenFile(name string) (File, error) {
	f := File{name}
	file, err := f.open()
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return f, fmt.Errorf("the file of the page: %w", err)
	}
	return f, nil
}

func (f File) open() (*os.File, error) {
	file, err := os.OpenFile(f.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is no file", f.name), err, file.Close())
	}
	return file, nil
}

// Serve answers with the file. It reports whether it is there.
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
