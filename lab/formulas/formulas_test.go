package formulas

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	if n := Names(); len(n) != 30 || !slices.IsSorted(n) {
		t.Errorf("%d names: %v", len(n), n)
	}
}

// write makes files below a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFormulas(t *testing.T) {
	dir, work := t.TempDir(), t.TempDir()
	write(t, dir, map[string]string{
		"web-formula/web/init.sls": "", "web-formula/web/sub/x.sls": "", "web-formula/top.sls": "", "web-formula/test/a/b.sls": "",
		"web-formula/web/map.jinja": "", "web-formula/pillar.example": "a: 1", "none/README": "",
	})
	for _, pillar := range []bool{false, true} {
		got, err := Formulas(dir, work, nil, pillar, pillar)
		if err != nil || len(got) != 1 || got[0].Name != "web" || !slices.Equal(got[0].What, []string{"web", "web.sub.x"}) || (got[0].Pillar != "") != pillar {
			t.Errorf("%v, %v", got, err)
		}
		want := Call{ID: "formulas", Fun: "state.show_sls", Args: []string{"web"}}
		if pillar {
			want.Fun, want.Args = "state.apply", []string{"web", "test=True"}
		}
		if !reflect.DeepEqual(got[0].Calls[0], want) {
			t.Errorf("%v, want %v", got[0].Calls[0], want)
		}
	}
}

func TestSites(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"lone/top.sls": "", "site/salt/top.sls": "", "site/salt/x/pillar/y.sls": "", "site/pillars/old/top.sls": "", "site/pillars/id/db1_example.sls": "",
		"site/pillars/top.sls": "base:\n  '*':\n    - all\n  'web?.example':\n    - web\n  'G@os:Debian':\n    - match: compound\n  web9:\n    - web\n",
	})
	got, err := Sites(dir, nil, false)
	if err != nil || len(got) != 1 || got[0].States != filepath.Join(dir, "site/salt") || got[0].Pillar != filepath.Join(dir, "site/pillars") {
		t.Fatalf("%v, %v", got, err)
	}
	var ids []string
	for _, c := range got[0].Calls {
		if c.Fun == "pillar.items" {
			ids = append(ids, c.ID)
		}
	}
	if !slices.Equal(ids, []string{"minion", "db1.example", "x", "webx.example", "web9"}) {
		t.Errorf("minions %v", ids)
	}
}

// A program in the place of salt-call answers, and what it answers is compared.
func TestCallAndTable(t *testing.T) {
	dir := t.TempDir()
	side := func(name, answer string) Outcome {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+answer+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		s := Ours{Argv: []string{path}, Dir: filepath.Join(dir, name+".d")}
		if err := Prepare(s.Dir, dir, dir); err != nil {
			t.Fatal(err)
		}
		return s.Call(t.Context(), Call{ID: "x", Fun: "state.show_sls", Args: []string{"web"}})
	}
	same := `{"local": {"a": {"x": [1], "duration": 5}}}`
	var results []Result
	for _, c := range [][2]string{
		{"echo '" + same + "'", "echo '" + strings.Replace(same, "5", "6", 1) + "'"},
		{"echo '" + same + "'", `echo '{"local": {"a": {"x": [2]}}}'`},
		{"echo '" + same + "'", `echo '{"local": ["Rendering SLS failed"]}'; exit 1`},
		{"echo no >&2; exit 1", "echo other >&2; exit 1"},
		{`echo '{"local": {"p": "'"$3"'"}}'`, `echo '{"local": {"p": "'"$3"'"}}'`}, // the folder of each side
	} {
		results = append(results, Result{"web", "web", side("salt", c[0]), side("ours", c[1])})
	}
	var out strings.Builder
	if err := Table(&out, results); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| web | 5 | 3 | 1 | 2 |\n", "| all | 5 | 3 | 1 | 2 |\n",
		"| web | web | a / x / 0: Salt 1, ours 2 |\n", "| web | web | ours: Rendering SLS failed |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// A program in the place of Python answers line by line, and ends.
func TestSalt(t *testing.T) {
	dir := t.TempDir()
	python := filepath.Join(dir, "python")
	script := "#!/bin/sh\nread a; echo '{\"value\": {\"dir\": \"" + dir + "/x\"}}'; read b; echo '{\"error\": \"no\"}'\n"
	if err := os.WriteFile(python, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := StartSalt(t.Context(), python, dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	c := Call{ID: "x", Fun: "pillar.items"}
	for _, want := range []Outcome{{Value: map[string]any{"dir": "DIR/x"}}, {Error: "no"}} {
		if got := s.Call(t.Context(), c); !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if got := s.Call(t.Context(), c); !got.Lost || got.Error == "" {
		t.Errorf("after its end: %v", got)
	}
	_ = s.Close()
}
