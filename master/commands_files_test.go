package master

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plantFiles creates the files that Salt's master served when the commands were recorded.
func (r *rig) plantFiles() {
	r.t.Helper()
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	r.file("srv/hello.txt", "hello world\n", 0o644)
	r.file("srv/bin.dat", string(all), 0o644)
	r.file("srv/dir/sub.txt", "sub\n", 0o644)
	if err := os.Symlink("hello.txt", filepath.Join(r.dir, "srv", "link")); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(r.dir, "srv", "empty"), 0o755); err != nil {
		r.t.Fatal(err)
	}
}

// fileAnswer normalizes answers of two masters: the directory in front of paths, stat fields that
// depend on machine and time, and compressed bytes.
func fileAnswer(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case []byte:
		return string(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = fileAnswer(t, e)
		}
		if len(v) == 10 { // of stat: the mode, the links, the size
			return []any{out[0], out[3], out[6]}
		}
		return out
	case map[string]any:
		if text, ok := v["$b64"].(string); ok {
			b, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		out := map[string]any{}
		for k, e := range v {
			out[k] = fileAnswer(t, e)
		}
		if path, ok := out["path"].(string); ok {
			_, out["path"], _ = strings.Cut(path, "/srv/")
		}
		if out["gzip"] != nil {
			data, _ := out["data"].(string)
			z, err := gzip.NewReader(bytes.NewReader([]byte(data)))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			out["data"] = string(plain)
		}
		return out
	}
	return v
}
