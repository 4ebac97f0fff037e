package modules

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/momtree/mom/value"
)

// maxChunk is the largest decompressed chunk, in bytes.
const maxChunk = 64 << 20

func init() {
	Register("cp",
		Function{
			Name: "recv", Run: cpRecv,
			Args: []Arg{{Name: "files", Required: true}, {Name: "dest", Required: true}},
			Doc: `
Write the files sent by salt-cp, {path: content}, to dest: an existing folder,
or the name of the file. The result says for each file whether it was written.

CLI Example:

    salt-cp '*' /etc/hosts /etc/hosts    # which calls cp.recv
`,
		},
		Function{
			Name: "recv_chunked", Run: cpRecvChunked,
			Args: []Arg{{Name: "dest", Required: true}, {Name: "chunk", Required: true}, {Name: "append", Default: false}, {Name: "compressed", Default: true}, {Name: "mode"}},
			Doc: `
Write a chunk sent by salt-cp --chunked to the file dest. The chunk is base64
text, of data compressed with gzip unless compressed is false. With append it is
appended; otherwise it starts the file, which gets the mode. Missing folders are
created. Without a chunk (None), dest is a folder to create.

CLI Example:

    salt-cp --chunked '*' image.bin /srv/image.bin    # which calls cp.recv_chunked
`,
		},
	)
}

func cpRecv(_ context.Context, c *Call) (any, error) {
	files, ok := c.Value("files").(*value.Map)
	dest, isText := c.Value("dest").(string)
	if !ok || !isText {
		return nil, argErrorf("files is a map of paths to contents, dest is a path")
	}
	out := value.NewMap()
	var wrong error
	files.Range(func(k, v any) bool {
		path, ok := k.(string)
		content, isContent := content(v)
		if !ok || !isContent {
			wrong = argErrorf("files is a map of paths to contents, not %s", PyRepr(k))
			return false
		}
		final := dest
		base := filepath.Base(path)
		switch {
		case folder(dest):
			final = filepath.Join(dest, base)
		case base != lastPart(dest) && !folder(parent(dest)):
			wrong = errUnavailable
			return false
		}
		out.Set(final, os.WriteFile(final, content, 0o666) == nil)
		return true
	})
	if errors.Is(wrong, errUnavailable) {
		return errUnavailable.Error(), nil
	}
	if wrong != nil {
		return nil, wrong
	}
	return out, nil
}

// errUnavailable is Salt's message for a folder that does not exist.
var errUnavailable = errors.New("Destination unavailable")

// content returns the content of a file to write.
func content(v any) ([]byte, bool) {
	switch v := v.(type) {
	case string:
		return []byte(v), true
	case []byte:
		return v, true
	}
	return nil, false
}

func folder(path string) bool {
	info, err := os.Stat(path)
	return path != "" && err == nil && info.IsDir()
}

// lastPart and parent are Python's basename and dirname: the parts after and before the
// last slash.
func lastPart(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func parent(path string) string {
	dir := path[:strings.LastIndexByte(path, '/')+1]
	if short := strings.TrimRight(dir, "/"); short != "" {
		return short
	}
	return dir
}

func cpRecvChunked(_ context.Context, c *Call) (any, error) {
	dest, ok := c.Value("dest").(string)
	if !ok || dest == "" {
		return nil, argErrorf("dest is a path, not %s", PyRepr(c.Value("dest")))
	}
	var err error
	if c.Value("chunk") == nil {
		if info, statErr := os.Stat(dest); statErr == nil && !info.IsDir() {
			return "Path exists and is a file", nil
		}
		err = os.MkdirAll(dest, 0o777)
	} else {
		var data []byte
		if data, err = chunkOf(c.Value("chunk"), isTrue(c.Value("compressed"))); err == nil {
			err = writeChunk(dest, data, isTrue(c.Value("append")), c.Value("mode"))
		}
	}
	if err != nil {
		c.Retcode = 1
		return pythonOSError(err), nil
	}
	return true, nil
}

// chunkOf decodes a chunk.
func chunkOf(v any, compressed bool) ([]byte, error) {
	text, ok := content(v)
	if !ok {
		return nil, argErrorf("chunk is text in base64, not %s", PyRepr(v))
	}
	data := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(data, text)
	if err != nil {
		return nil, fmt.Errorf("chunk: %w", err)
	}
	if data = data[:n]; !compressed {
		return data, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("chunk: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(r, maxChunk+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("chunk: %w", err)
	case len(out) > maxChunk:
		return nil, fmt.Errorf("chunk: more than %d bytes after decompression", maxChunk)
	}
	return out, nil
}

// writeChunk creates a file, or appends to it.
func writeChunk(dest string, data []byte, add bool, mode any) (err error) {
	flags, perm := os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fs.FileMode(0o666)
	if add {
		flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	bits, hasMode := mode.(int64)
	if hasMode = hasMode && !add; hasMode {
		perm = fs.FileMode(bits) & 0o777 // from the start: secret content is never readable by others
	}
	f, err := os.OpenFile(dest, flags, perm)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(dest), 0o777); err != nil {
			return err
		}
		f, err = os.OpenFile(dest, flags, perm)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if hasMode {
		if err := f.Chmod(fileMode(bits)); err != nil {
			return err
		}
	}
	_, err = f.Write(data)
	return err
}

// fileMode converts Unix mode bits.
func fileMode(bits int64) fs.FileMode {
	mode := fs.FileMode(bits) & 0o777
	for bit, flag := range map[int64]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if bits&bit != 0 {
			mode |= flag
		}
	}
	return mode
}

// pythonOSError returns a system error in Python's words.
func pythonOSError(err error) string {
	var path *fs.PathError
	var number syscall.Errno
	if errors.As(err, &path) && errors.As(err, &number) {
		text := number.Error()
		return fmt.Sprintf("[Errno %d] %s: %s", int(number), strings.ToUpper(text[:1])+text[1:], PyRepr(path.Path))
	}
	return err.Error()
}
