package matrix

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const figures = "testdata/matrix.json"

// The page matches the figures: neither is changed without the other.
func TestPageIsOfTheFigures(t *testing.T) {
	r, err := Read(figures)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/reference/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	if Page(r) != string(page) {
		t.Error("docs/reference/compatibility.md does not match lab/matrix/testdata/matrix.json: run make momlab && build/momlab matrix --page-only")
	}
}

// The figures contain only columns and rows of the pairings, in order, and each cell with a fault has a
// note. The page names what is missing ([Run.unplayed]). Once everything is played, each note has a
// cell.
func TestFiguresAreWhole(t *testing.T) {
	r, err := Read(figures)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults() {
		t.Errorf("fault without a note: %s", f)
	}
	used := map[string]bool{}
	var names []string
	for _, p := range Pairings() {
		i := slices.IndexFunc(r.Tables, func(table Table) bool { return table.Name == p.Name() })
		if i < 0 {
			continue
		}
		names = append(names, p.Name())
		table := r.Tables[i]
		if within(table.Columns, p.columns(), func(a, b Column) bool { return a.Kind == b.Kind && a.Of == b.Of }) {
			for _, c := range table.Columns {
				of := p.columns()[slices.IndexFunc(p.columns(), func(o Column) bool { return o.Kind == c.Kind && o.Of == c.Of })]
				if !within(c.Cells, of.Cells, func(a, b Cell) bool { return a.Row == b.Row }) {
					t.Errorf("%s: rows %+v, want some of %+v", table.Title(c), c.Cells, of.Cells)
				}
				for _, cell := range c.Cells {
					if n := table.note(c, cell); n != nil && cell.Wrong != "" {
						used[n.Key] = true
					}
				}
			}
		} else {
			t.Errorf("%s: columns %+v do not belong to the pairing", p.Name(), table.Columns)
		}
		for _, k := range p.salts() {
			if _, ok := table.Salts[k]; !ok && slices.ContainsFunc(table.Columns, func(c Column) bool { return c.Of == k }) {
				t.Errorf("%s: no version of %s", p.Name(), k)
			}
		}
	}
	for i, table := range r.Tables {
		if i >= len(names) || table.Name != names[i] {
			t.Errorf("table %d is %s: not a pairing, or out of order", i, table.Name)
		}
	}
	for _, n := range Notes() {
		if !used[n.Key] && len(r.unplayed()) == 0 {
			t.Errorf("note %s applies to no cell: remove it", n.Key)
		}
		if n.Side != "mom" && n.Side != "Salt" || n.Text == "" {
			t.Errorf("note %s names no side or has no text", n.Key)
		}
	}
}

// within reports whether some is a subsequence of all.
func within[T any](some, all []T, same func(a, b T) bool) bool {
	for _, a := range some {
		i := slices.IndexFunc(all, func(b T) bool { return same(a, b) })
		if i < 0 {
			return false
		}
		all = all[i+1:]
	}
	return true
}

// Every chain of two or three daemons with mom in it is played or listed as impossible: 64 of three
// and 16 of two, without the 27 and 9 that consist of Salt alone.
func TestEveryPairIsThere(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Pairings() {
		for _, m := range p.Minions {
			name := p.Column(m)
			if seen[name] {
				t.Errorf("%s is listed twice", name)
			}
			if seen[name] = true; len(p.Masters) > 1 && !strings.Contains(" "+name+" ", " mom ") {
				t.Errorf("%s consists of Salt alone", name)
			}
		}
	}
	ours := 0
	for name := range seen {
		if parts := strings.Split(name, " – "); slices.Contains(parts, string(mom)) && len(parts) <= 3 && !strings.Contains(name, " + ") {
			ours++
		}
	}
	impossible := Impossible()
	for _, name := range impossible {
		if !strings.Contains(name, "Salt 3006 – Salt 3007") && !strings.Contains(name, "Salt 3006 – Salt 3008") {
			t.Errorf("%s is not played, but possible", name)
		}
	}
	if n, want := ours+len(impossible), 64-27+16-9; n != want {
		t.Errorf("%d chains with mom are played and %d are impossible, want %d in total", ours, len(impossible), want)
	}
}

// A fault without a note counts, one with a note does not, and a good cell has no note. Worlds that
// are played again replace their previous results.
func TestFaultsAndMerge(t *testing.T) {
	table := func(name, wrong string) Table {
		return Table{Name: name, Columns: []Column{
			{Kind: OfMinion, Of: mom, Cells: []Cell{{"test.ping", wrong, 1}, {"file of the top", "gives false", 1}, {"mine", "", 1}}},
		}}
	}
	r := Run{Tables: []Table{table("mom", ""), table("mom – Salt 3006", "no | return")}}
	if f := r.Faults(); len(f) != 2 || !strings.Contains(f[0], "mom: minion of mom: file of the top") || !strings.Contains(f[1], "mom – Salt 3006: minion of mom: test.ping: no | return") {
		t.Errorf("faults %q", f)
	}
	page := Page(r)
	for _, want := range []string{"| test.ping | **no**: no \\| return |", "| file of the top | – (1) |", "1. **Salt.** A master of Salt's", "| mine | yes |", "3 cells are as asked, 2 are not, 1 cannot"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, want := range []string{"- world `Salt 3006`\n- world `Salt 3007`\n", "- column `mom – Salt 3008`\n", "- column `commands of Salt 3008 at mom`\n", "- rows of `mom – Salt 3006`: cmd.run, grains,"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not list as unplayed: %q", want)
		}
	}
	for _, played := range []string{"- world `mom – Salt 3006`\n", "- column `mom – Salt 3006 – mom`\n", "test.ping,"} {
		if strings.Contains(page, played) {
			t.Errorf("the page lists as unplayed: %q", played)
		}
	}
	if yes, no, none := r.count(); yes != 3 || no != 2 || none != 1 {
		t.Errorf("counted %d, %d, %d", yes, no, none)
	}
	merged := r.Merge(Run{Tables: []Table{table("mom – Salt 3006", ""), {Name: "Salt 3006", Error: "grow"}}})
	if len(merged.Tables) != 3 || merged.Tables[0].Name != "mom" || merged.Tables[1].Name != "Salt 3006" {
		t.Errorf("merged %+v", merged)
	}
	if f := merged.Faults(); len(f) != 2 || f[1] != "Salt 3006: grow" {
		t.Errorf("faults after that %q", f)
	}
}

// The files for masters are complete, and mom's minions can run the programs.
func TestFurnish(t *testing.T) {
	dir := t.TempDir()
	if err := furnish(dir, "top", "/o"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"pillar/tool.sls":       "root: /o/{{ grains['id'] }}/tool",
		"srv/tool/map.jinja":    "filter_by",
		"srv/_modules/words.py": "def hello",
		"srv/top-only.txt":      "from the top",
	} {
		text, err := os.ReadFile(dir + "/" + path)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v: lacks %q", path, err, want)
		}
	}
	if i, err := os.Stat(dir + "/srv/_modules/greet.sh"); err != nil || i.Mode().Perm()&0o100 == 0 {
		t.Errorf("greet.sh is not executable: %v %v", i, err)
	}
	if _, err := os.Stat(dir + "/srv/top-only.txt"); err != nil {
		t.Error(err)
	}
	other := t.TempDir()
	if err := furnish(other, "low", "/o"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(other + "/srv/top-only.txt"); err == nil {
		t.Error("a node has the file that only the top has")
	}
}
