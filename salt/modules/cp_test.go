package modules

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/value"
)

func zipped(t testing.TB, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// Files of a whole job are written where Salt's cp.recv writes them.
func TestCpRecv(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		path, dest, at string
		want           any
	}{
		{"/root/f1", dir, "f1", true},
		{"/root/f1", dir + "/", "f1", true},
		{"/root/f1", dir + "/other", "other", true},
		{"/root/f1", dir + "/no/f1", "no/f1", false},
		{"/root/f1", dir + "/no/other", "", "Destination unavailable"},
		{"/root/f1", "other", "", "Destination unavailable"},
	} {
		got := answer(t, "cp.recv", value.NewMap(c.path, "text\r\n"), c.dest)
		if c.at == "" {
			if got != c.want {
				t.Errorf("%s to %s: %v", c.path, c.dest, got)
			}
			continue
		}
		file := filepath.Join(dir, c.at)
		if v, ok := got.(*value.Map).Get(file); !ok || v != c.want {
			t.Errorf("%s to %s: %v", c.path, c.dest, got)
		}
		if b, err := os.ReadFile(file); c.want == true && string(b) != "text\r\n" {
			t.Errorf("%s holds %q, %v", file, b, err)
		}
	}
}

// Chunks make a file of any bytes, with its mode, in new folders.
func TestCpRecvChunked(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a", "b", "file")
	secret := int64(0o600)
	for _, args := range [][]any{
		{file, zipped(t, "\xff\x00one"), false, true, secret},
		{file, []byte(base64.StdEncoding.EncodeToString([]byte("two"))), true, false, int64(0o777)},
		{filepath.Join(dir, "empty", "folder"), nil},
		{filepath.Join(dir, "empty", "folder"), nil},
	} {
		if got := answer(t, "cp.recv_chunked", args...); got != true {
			t.Errorf("%v: %v", args, got)
		}
	}
	b, err := os.ReadFile(file)
	info, statErr := os.Stat(file)
	if err != nil || statErr != nil || string(b) != "\xff\x00onetwo" || info.Mode() != 0o600 {
		t.Errorf("%q, %v, %v", b, err, info.Mode())
	}
	for _, c := range []struct {
		args []any
		want string
	}{
		{[]any{dir, zipped(t, "x")}, "[Errno 21] Is a directory: '" + dir + "'"},
		{[]any{file + "/x", zipped(t, "x")}, "[Errno 20] Not a directory: '" + file + "/x'"},
		{[]any{file, nil}, "Path exists and is a file"},
		{[]any{file, "***"}, "chunk: illegal base64 data at input byte 0"},
		{[]any{file, "AAAA"}, "chunk: unexpected EOF"},
		{[]any{file, int64(1)}, "chunk is text in base64, not 1"},
		{[]any{file, zipped(t, strings.Repeat("x", maxChunk+1))}, "chunk: more than 67108864 bytes after decompression"},
	} {
		if got := answer(t, "cp.recv_chunked", c.args...); got != c.want {
			t.Errorf("%.60v: %v, want %s", c.args, got, c.want)
		}
	}
	if b, _ := os.ReadFile(file); string(b) != "\xff\x00onetwo" {
		t.Errorf("a bad chunk has changed the file: %q", b)
	}
}

func FuzzChunk(f *testing.F) {
	f.Add(zipped(f, "data"), true)
	f.Add("AAAA", true)
	f.Add("AAAA", false)
	f.Fuzz(func(t *testing.T, text string, compressed bool) {
		if b, err := chunkOf(text, compressed); err == nil && len(b) > maxChunk {
			t.Errorf("%d bytes", len(b))
		}
	})
}

// answer returns the result of a function, or the text of its error.
func answer(t *testing.T, fun string, args ...any) any {
	t.Helper()
	return run(t, newEnv(), fun, args...).Value
}
