package archives

import (
	"archive/tar"
	"archive/zip"
	"os"
	"path/filepath"
	"testing"
)

// Nothing is written outside the folder, whatever the names and links of the members.
func TestExtractTar_StaysInside(t *testing.T) {
	for name, members := range map[string][]tar.Header{
		"name":         {{Name: "../evil", Typeflag: tar.TypeReg, Mode: 0o644}},
		"name inside":  {{Name: "a/../../evil", Typeflag: tar.TypeReg, Mode: 0o644}},
		"link":         {{Name: "a", Typeflag: tar.TypeSymlink, Linkname: ".."}, {Name: "a/evil", Typeflag: tar.TypeReg, Mode: 0o644}},
		"link to file": {{Name: "evil", Typeflag: tar.TypeSymlink, Linkname: "../evil"}, {Name: "evil", Typeflag: tar.TypeReg, Mode: 0o644}},
		"hard link":    {{Name: "evil", Typeflag: tar.TypeLink, Linkname: "../secret"}, {Name: "evil", Typeflag: tar.TypeReg, Mode: 0o644}},
		"folder":       {{Name: "a", Typeflag: tar.TypeSymlink, Linkname: ".."}, {Name: "a/evil", Typeflag: tar.TypeDir, Mode: 0o755}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in := filepath.Join(dir, "in")
			if err := os.Mkdir(in, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("s"), 0o600); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "x.tar")
			f, err := os.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			w := tar.NewWriter(f)
			for _, m := range members {
				m.Uid, m.Gid = os.Getuid(), os.Getgid()
				if m.Typeflag == tar.TypeReg {
					m.Size = 4
				}
				if err := w.WriteHeader(&m); err != nil {
					t.Fatal(err)
				}
				if m.Size > 0 {
					_, _ = w.Write([]byte("evil"))
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			_ = f.Close()
			_, _ = ExtractTar(t.Context(), file, in)
			if _, err := os.Lstat(filepath.Join(dir, "evil")); err == nil {
				t.Error("a member was written outside the folder")
			}
			if b, err := os.ReadFile(filepath.Join(dir, "secret")); err != nil || string(b) != "s" {
				t.Errorf("a file outside was changed: %q, %v", b, err)
			}
		})
	}
}

func TestExtractZip_StaysInside(t *testing.T) {
	for _, name := range []string{"../evil", "a/../../evil", "l/evil"} {
		dir := t.TempDir()
		in := filepath.Join(dir, "in")
		if err := os.MkdirAll(in, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("..", filepath.Join(in, "l")); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "x.zip")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		w := zip.NewWriter(f)
		m, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = m.Write([]byte("evil"))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		if _, err := ExtractZip(t.Context(), file, in, Unzip{Modes: true}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Lstat(filepath.Join(dir, "evil")); err == nil {
			t.Errorf("%s was written outside the folder", name)
		}
	}
}

// FuzzListTar parses any bytes as an archive.
func FuzzListTar(f *testing.F) {
	for _, seed := range []string{"", "\x1f\x8b", "BZh9", "\xfd7zXZ\x00", "]\x00\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := ListTar(file); err == nil {
			c.Strip(1)
			c.Sort()
			c.TopDirs()
		}
		_, _ = ListZip(file)
	})
}
