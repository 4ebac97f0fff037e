package config

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestID(t *testing.T) {
	h := func(name, canonical string) host {
		m := machine(name)
		m.canonical = func(string) string { return canonical }
		m.addresses = func() []net.IP { return []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 7)} }
		return m
	}
	for _, c := range []struct {
		what, minion, cached string
		host                 host
		want, wantFile       string
	}{
		{"configured", "id: web-01\n", "", h("x", ""), "web-01", ""},
		{"a number", "id: 0815\n", "", h("x", ""), "0815", ""},
		{"kept", "", "\ufeffold-id\n", h("x", ""), "old-id", "\ufeffold-id\n"},
		{"kept but useless", "", "localhost\n", h("x", "x.example"), "x.example", "x.example"},
		{"full name", "", "", h("x", "x.example"), "x.example", "x.example"},
		{"short name", "", "", h("x", ""), "x", "x"},
		{"lower", "minion_id_lowercase: true\n", "", h("WEB", "WEB.Example"), "web.example", "web.example"},
		{"any domain off", "minion_id_remove_domain: true\n", "", h("w", "w.a.b"), "w", "w"},
		{"one domain off", "minion_id_remove_domain: A.b\n", "", h("w", "w.a.b"), "w", "w"},
		{"other domain", "minion_id_remove_domain: c.d\n", "", h("w", "w.a.b"), "w.a.b", "w.a.b"},
		{"append_domain", "append_domain: a.b\n", "", h("w", ""), "w.a.b", "w"},
		{"append_domain to own id", "id: w\nappend_domain: a.b\n", "", h("x", ""), "w.a.b", ""},
		{"append_domain there already", "id: w.a.b\nappend_domain: a.b\n", "", h("x", ""), "w.a.b", ""},
		{"address", "append_domain: a.b\n", "", h("localhost", ""), "10.0.0.7", "10.0.0.7"},
		{"no caching", "minion_id_caching: false\n", "other", h("x", ""), "x", "other"},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := files(t, "minion", c.minion)
			if c.cached != "" {
				if err := os.WriteFile(filepath.Join(dir, "minion_id"), []byte(c.cached), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m, _, err := loadMinion(dir, c.host, true)
			if err != nil {
				t.Fatal(err)
			}
			if m.ID != c.want {
				t.Errorf("id %q, want %q", m.ID, c.want)
			}
			file, _ := os.ReadFile(filepath.Join(dir, "minion_id"))
			if string(file) != c.wantFile {
				t.Errorf("minion_id holds %q, want %q", file, c.wantFile)
			}
		})
	}
}

func TestIDFromSaltsPlace(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "etc/salt"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "etc/salt/minion_id"), []byte("kept-there"), 0o644); err != nil {
		t.Fatal(err)
	}
	h := machine("other")
	h.etc = "etc/salt"
	m, _, err := loadMinion(files(t, "minion", "root_dir: "+root+"\nipc_mode: tcp\n"), h, false)
	if err != nil {
		t.Fatal(err)
	}
	if m.ID != "kept-there" {
		t.Errorf("id %q", m.ID)
	}
}

func TestHostsFile(t *testing.T) {
	f := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(f, []byte("127.0.0.1 localhost\n# 1.2.3.4 web.wrong web\n10.1.1.1\tweb.example.org web # me\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := machine("web")
	h.hostsFile = f
	if got := h.guess(); got != "web.example.org" {
		t.Errorf("guessed %q", got)
	}
}

func TestCheckID(t *testing.T) {
	for id, good := range map[string]bool{"web-01.example": true, "a b": true, "": false, ".": false, "..": false, ".hid": false, "a/b": false, `a\b`: false, "a\x00": false, "a\nb": false, "a\u0085": false, "a\xff": false} {
		if err := CheckID(id); (err == nil) != good {
			t.Errorf("%q: %v", id, err)
		}
	}
}
