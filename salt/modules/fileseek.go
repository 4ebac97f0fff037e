package modules

import (
	"context"
	"errors"
	"io"
	"os"
	"unicode/utf8"
)

func init() {
	path := Arg{Name: "path", Required: true}
	offset := Arg{Name: "offset", Required: true}
	Register("file",
		Function{Name: "read", Args: []Arg{path, {Name: "binary", Default: false}}, Run: fileRead, Doc: `
Return the content of the file path: as text, or as bytes with binary=True.

CLI Example:

    salt '*' file.read /path/to/file
`},
		Function{Name: "seek_read", Args: []Arg{path, {Name: "size", Required: true}, offset}, Run: fileSeekRead, Doc: `
Return size bytes of the file path from offset on.

CLI Example:

    salt '*' file.seek_read /path/to/file 4096 0
`},
		Function{Name: "seek_write", Args: []Arg{path, {Name: "data", Required: true}, offset}, Run: fileSeekWrite, Doc: `
Write data to the file path at offset. Returns the number of bytes written.

CLI Example:

    salt '*' file.seek_write /path/to/file 'some data' 4096
`},
	)
}

func fileRead(_ context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	body, err := readWhole(path)
	switch {
	case err != nil:
		return nil, osFault(err)
	case c.IsTrue("binary"):
		return []byte(body), nil
	case !utf8.ValidString(body):
		return nil, CommandErrorf("%s is not UTF-8; read it with binary=True", path)
	}
	return body, nil
}

// place returns the offset of a call.
func (c *Call) place() (int64, error) {
	n, err := c.Int("offset")
	if err == nil && n < 0 {
		err = argErrorf("offset cannot be %d", n)
	}
	return n, err
}

func fileSeekRead(_ context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	at, err := c.place()
	if err != nil {
		return nil, err
	}
	size, err := c.Int("size")
	if err != nil {
		return nil, err
	}
	if size < 0 || size > maxEdited {
		return nil, argErrorf("size is from 0 to %d bytes, not %d", maxEdited, size)
	}
	f, _, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, osFault(err)
	}
	defer f.Close()
	data := make([]byte, size)
	n, err := f.ReadAt(data, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, osFault(err)
	}
	if data = data[:n]; utf8.Valid(data) {
		return string(data), nil
	}
	return data, nil
}

func fileSeekWrite(_ context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	at, err := c.place()
	if err != nil {
		return nil, err
	}
	data, ok := c.Value("data").([]byte)
	if !ok {
		data = []byte(c.Str("data"))
	}
	f, _, err := openRegular(path, os.O_WRONLY)
	if err != nil {
		return nil, osFault(err)
	}
	n, err := f.WriteAt(data, at)
	if err == nil {
		err = f.Sync()
	}
	return int64(n), osFault(errors.Join(err, f.Close()))
}
