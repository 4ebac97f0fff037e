package formulas

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	if n := Names(); len(n) != 30 || !slices.IsSorted(n) {
		t.Errorf("%d names: %v", len(n), n)
	}
}

func TestCollect(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"web-formula/web/init.sls", "web-formula/web/sub/x.sls", "web-formula/top.sls", "web-formula/test/a/b.sls", "web-formula/web/map.jinja", "none/README"} {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Collect(dir, nil)
	if err != nil || len(got) != 1 || got[0].Name != "web" || !slices.Equal(got[0].SLS, []string{"web", "web.sub.x"}) {
		t.Errorf("%v, %v", got, err)
	}
}

// A program in the place of salt-call answers, and what it answers is compared.
func TestRunAndTable(t *testing.T) {
	dir := t.TempDir()
	side := func(name, answer string) Side {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+answer+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		s := Side{Argv: []string{path}, Dir: filepath.Join(dir, name+".d")}
		if err := s.Prepare(Formula{Name: "web", Dir: dir}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	same := `{"local": {"a": {"x": [1], "duration": 5}}}`
	var results []Result
	for _, c := range [][2]string{
		{"echo '" + same + "'", "echo '" + strings.Replace(same, "5", "6", 1) + "'"},
		{"echo '" + same + "'", `echo '{"local": {"a": {"x": [2]}}}'`},
		{"echo '" + same + "'", `echo '{"local": ["Rendering SLS failed"]}'; exit 1`},
		{"echo no >&2; exit 1", "echo other >&2; exit 1"},
	} {
		salt, ours := side("salt", c[0]), side("ours", c[1])
		results = append(results, Result{"web", "web", salt.Run(t.Context(), "web", false), ours.Run(t.Context(), "web", false)})
	}
	var out strings.Builder
	if err := Table(&out, results); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| web | 4 | 2 | 1 | 2 |\n", "| all | 4 | 2 | 1 | 2 |\n",
		"| web | a / x / 0: Salt 1, ours 2 |\n", "| web | ours: Rendering SLS failed |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
