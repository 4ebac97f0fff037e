package usage

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A small module in which options are read, written, shadowed and read by name.
func TestScan(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.test/m\n\ngo 1.26\n",
		"internal/config/config.go": "package config\n\ntype Common struct {\n\tShared int `yaml:\"shared\"`\n}\n\n" +
			"type Master struct {\n\tCommon `yaml:\",inline\"`\n\tRead int `yaml:\"read\"`\n\tWritten int `yaml:\"written\"`\n\tIdle int `yaml:\"idle\"`\n\tFree int\n}\n",
		"internal/config/own/own.go": "package own\n\nimport \"example.test/m/internal/config\"\n\nfunc F(m config.Master) int { return m.Idle }\n",
		"a/a.go": "package a\n\nimport \"example.test/m/internal/config\"\n\ntype other struct{ Idle, Written int }\n\n" +
			"func F(m *config.Master, o other) int {\n\tm.Written = o.Idle\n\treturn m.Read + m.Free + o.Written + m.Shared\n}\n",
		"a/a_test.go": "package a\n\nimport \"example.test/m/internal/config\"\n\nfunc g(m config.Master) int { return m.Idle }\n",
		"b/b.go": "package b\n\nimport \"example.test/m/a\"\n\ntype env interface{ Option(string) any }\n\n" +
			"func F(e env, name string) any { _ = a.F; _ = e.Option(name); return e.Option(\"by_name\") }\n",
		"b/c/c.go": "package c\n\nimport \"example.test/m/internal/config\"\n\nfunc F(m config.Common) *int { return &m.Shared }\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Scan(dir, "example.test/m/internal/config")
	want := Report{
		Fields: map[string][]string{"Common.Shared": {"b/c"}, "Master.Read": {"a"}, "Master.Shared": {"a"}},
		Names:  map[string][]string{"by_name": {"b"}},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	if _, err := Scan(dir, "example.test/other/internal/config"); err == nil {
		t.Error("another module is found")
	}
	if _, err := Scan(dir, "nonsense"); err == nil {
		t.Error("a path without module is taken")
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "a.go"), []byte("package a\n\nvar x int = \"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Scan(dir, "example.test/m/internal/config"); err == nil {
		t.Error("a module that does not compile is taken")
	}
}
