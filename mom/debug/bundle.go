package debug

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// bundle is a tar.gz that is being written.
type bundle struct {
	zip     *gzip.Writer
	tar     *tar.Writer
	at      time.Time
	missing []string // what could not be had, and why
	err     error
}

func newBundle(w io.Writer, at time.Time) *bundle {
	z := gzip.NewWriter(w)
	return &bundle{zip: z, tar: tar.NewWriter(z), at: at}
}

// add writes a file.
func (b *bundle) add(name string, data []byte) {
	if b.err != nil {
		return
	}
	if b.err = b.tar.WriteHeader(&tar.Header{Name: "mom-debug/" + name, Mode: 0o600, Size: int64(len(data)), ModTime: b.at}); b.err == nil {
		_, b.err = b.tar.Write(data)
	}
}

// lacks notes what could not be had.
func (b *bundle) lacks(name string, err error) {
	b.missing = append(b.missing, fmt.Sprintf("%s: %v", name, err))
}

// close ends the file with the list of what is missing.
func (b *bundle) close() error {
	if len(b.missing) > 0 {
		b.add("missing.txt", []byte(strings.Join(b.missing, "\n")+"\n"))
	}
	return errors.Join(b.err, b.tar.Close(), b.zip.Close())
}
