package metrics

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the table of docs/reference/metrics.md anew")

var docs = filepath.Join("..", "..", "docs")

const (
	tableBegins = "<!-- table: go test ./internal/metrics -update -->\n"
	tableEnds   = "<!-- end of table -->\n"
)

func page() string {
	var b strings.Builder
	b.WriteString("| metric | kind | labels | where | meaning |\n|---|---|---|---|---|\n")
	for _, m := range All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", m.Name, m.Kind, strings.Join(m.Labels, ", "), m.Where, m.Help)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	file := filepath.Join(docs, "reference", "metrics.md")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), tableBegins)
	have, after, ok2 := strings.Cut(rest, tableEnds)
	if !ok || !ok2 {
		t.Fatal("the page has no table")
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+tableBegins+page()+tableEnds+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have != page() {
		t.Error("docs/reference/metrics.md is not the table of this package: go test ./internal/metrics -update")
	}
}

var names = regexp.MustCompile(`\b(mom|salt|go|process)_[a-z_]+\b`)

// used checks the metrics in an expression.
func used(t *testing.T, where, expr string) {
	t.Helper()
	found := names.FindAllString(expr, -1)
	if len(found) == 0 {
		t.Errorf("%s names no metric: %s", where, expr)
	}
	for _, name := range found {
		if strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") {
			continue
		}
		base := name
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if b, ok := strings.CutSuffix(name, suffix); ok && table()[b] != nil {
				base = b
			}
		}
		if !slices.ContainsFunc(All(), func(m Metric) bool { return m.Name == base }) {
			t.Errorf("%s uses %s, which does not exist", where, name)
		}
	}
}

func TestDashboard(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(docs, "guide", "operate", "grafana-dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Title, UID string
		Panels     []struct {
			ID      int
			Type    string
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %s shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			used(t, "panel "+p.Title, target.Expr)
		}
	}
	if d.Title == "" || d.UID == "" || len(d.Panels) < 10 {
		t.Errorf("%q has %d panels", d.Title, len(d.Panels))
	}
}

func TestAlertRules(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(docs, "guide", "operate", "alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile(filepath.Join(docs, "guide", "operate", "alerts-test.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var tested struct {
		Tests []struct {
			Name   string
			Series []struct{ Series string } `yaml:"input_series"`
		}
	}
	if err := yaml.Unmarshal(tests, &tested); err != nil {
		t.Fatal(err)
	}
	hasTest := map[string]bool{}
	for _, test := range tested.Tests {
		for _, s := range test.Series {
			hasTest[test.Name] = true
			used(t, "the test of "+test.Name, s.Series)
		}
	}
	n := 0
	for _, g := range f.Groups {
		for _, r := range g.Rules {
			n++
			if !hasTest[r.Alert] {
				t.Errorf("nothing says in alerts-test.yml when alert %s fires", r.Alert)
			}
			used(t, "alert "+r.Alert, r.Expr)
			if r.Alert == "" || r.For == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("alert %s lacks a name, a time, a severity, a summary or a description", r.Alert)
			}
		}
	}
	if n < 8 {
		t.Errorf("%d alerts", n)
	}
}
