package debug

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/mom/momtest"
)

func TestMain(m *testing.M) { momtest.Trees(m) }

// unpacked is what a bundle holds, by name.
func unpacked(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimPrefix(h.Name, "mom-debug/")] = string(data)
	}
}

// A bundle of a running daemon holds all that a report needs and no secret.
func TestBundle(t *testing.T) {
	const secret = "correct-horse-battery"
	more := "debug_socket: True\nmysql.pass: " + secret + "\nkey_pass: ''\nmy_tool:\n  api_token: " + secret + "2\n  nested: [{password: " + secret + "3}]\n"
	tr := momtest.Own(t, "top: m1\n", func(c *localcluster.Cluster) {
		for _, m := range c.Members {
			name := "master"
			if m.Kind == localcluster.Minion {
				name = "minion"
			}
			f, err := os.OpenFile(filepath.Join(m.ConfDir, name), os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteString("\n" + more)
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}
	})
	for id, role := range map[string]string{"top": "master", "m1": "minion"} {
		log, err := os.OpenFile(filepath.Join(tr.Dir, id, "log"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(log, "[INFO    ] a job with password=hunter22 and %s in it; jid=20260101\n", secret)
		if err := errors.Join(err, log.Close()); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "b.tar.gz")
		got := tr.Run(Command(), id, "bundle", "-o", file)
		if got.Code != 0 || got.Out != file+"\n" || got.Err != "" {
			t.Fatalf("%s: %v", id, got)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info, err)
		}
		parts := unpacked(t, file)
		for name, want := range map[string]string{
			"version.txt": "role " + role, "configuration.yaml": "debug_socket: true", "log.txt": "jid=20260101",
			"goroutines.txt": "debugsock", "heap.pb.gz": "\x1f\x8b", "metrics.txt": "mom_info{",
		} {
			if !strings.Contains(parts[name], want) {
				t.Errorf("%s: %s lacks %q: %.300s", id, name, want, parts[name])
			}
		}
		for name, text := range parts {
			for _, s := range []string{secret, "hunter22"} {
				if strings.Contains(text, s) && !strings.HasSuffix(name, ".pb.gz") {
					t.Errorf("%s: %s holds the secret %s", id, name, s)
				}
			}
		}
		if got := tr.Run(Command(), id, "bundle", "-o", file); got.Code != 1 || !strings.Contains(got.Err, "exists") {
			t.Errorf("a file is written over: %v", got)
		}
	}
}

// Without the socket a bundle says what is missing and how to have it.
func TestBundle_NoSocket(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "minion"), []byte("id: m1\nroot_dir: "+dir+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "b.tar.gz")
	got := momtest.Run(Command(), "", "bundle", "-c", dir, "-o", file)
	if got.Code != 0 || !strings.Contains(got.Err, "set debug_socket: True") {
		t.Fatalf("%v", got)
	}
	parts := unpacked(t, file)
	var names []string
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"configuration.yaml", "missing.txt", "version.txt"}; !slices.Equal(names, want) {
		t.Errorf("it holds %v", names)
	}
	if !strings.Contains(parts["missing.txt"], "goroutines.txt: ") || !strings.Contains(parts["missing.txt"], "log.txt: ") {
		t.Errorf("%s", parts["missing.txt"])
	}
}
