package matrix

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const figures = "testdata/matrix.json"

// The page is what the figures say: neither is changed without the other.
func TestPageIsOfTheFigures(t *testing.T) {
	r, err := Read(figures)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	if Page(r) != string(page) {
		t.Error("docs/compatibility.md is not of test/matrix/testdata/matrix.json: go run ./test/matrix/page")
	}
}

// The figures have every row of each pairing that was played, each that is not as asked with a
// note that is about it, and once all are played no note stands for nothing.
func TestFiguresAreWhole(t *testing.T) {
	r, err := Read(figures)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults() {
		t.Errorf("without a note: %s", f)
	}
	used := map[string]bool{}
	unplayed, i := r.unplayed(), -1
	for _, p := range Pairings() {
		if slices.Contains(unplayed, p.Name()) {
			continue // the page names it
		}
		if i++; r.Tables[i].Name != p.Name() {
			t.Fatalf("table %d is of %s, want %s", i, r.Tables[i].Name, p.Name())
		}
		var want, have []string
		for _, k := range p.Minions {
			want = append(want, OfMinion+" "+string(k))
		}
		for _, k := range p.Commands {
			want = append(want, OfCommands+" "+string(k), OfAPI+" "+string(k))
		}
		for _, c := range r.Tables[i].Columns {
			have = append(have, c.Kind+" "+string(c.Of))
			if rows, of := rowsOf(c), asked(c.Kind, p); !slices.Equal(rows, of) {
				t.Errorf("%s: rows %q, want %q", r.Tables[i].Title(c), rows, of)
			}
			for _, cell := range c.Cells {
				if n := r.Tables[i].note(c, cell); n != nil && cell.Wrong != "" {
					used[n.Key] = true
				}
			}
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s: columns %q, want %q", p.Name(), have, want)
		}
	}
	for _, n := range Notes() {
		if !used[n.Key] && len(unplayed) == 0 {
			t.Errorf("the note %s is of no cell: what it says is not so any more", n.Key)
		}
		if n.Side != "mom" && n.Side != "Salt" || n.Text == "" {
			t.Errorf("the note %s does not say on which side and why", n.Key)
		}
	}
}

func rowsOf(c Column) (out []string) {
	for _, cell := range c.Cells {
		out = append(out, cell.Row)
	}
	return out
}

// asked lists the rows of a kind of column in the order in which they are asked.
func asked(of string, p Pairing) (out []string) {
	switch of {
	case OfMinion:
		for _, r := range Rows() {
			if r.asked(p) {
				out = append(out, r.Name)
			}
		}
	case OfCommands:
		for _, c := range Commands() {
			out = append(out, c.Name)
		}
	case OfAPI:
		for _, c := range APIs() {
			out = append(out, c.Name)
		}
	}
	return out
}

// Every chain of two or three daemons with one of ours in it is played or told to be
// impossible: 27 of three and 9 of two, without the 8 and 4 that are of Salt alone.
func TestEveryPairIsThere(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Pairings() {
		for _, m := range p.Minions {
			name := p.Column(m)
			if seen[name] || !strings.Contains(" "+name+" ", " mom ") && !slices.Contains(p.Masters, mom) && len(p.Masters) > 1 {
				t.Errorf("%s is there twice, or of Salt alone", name)
			}
			seen[name] = true
		}
	}
	ours := 0
	for name := range seen {
		if slices.Contains(strings.Split(name, " – "), string(mom)) {
			ours++
		}
	}
	impossible := Impossible()
	for _, name := range impossible {
		if !strings.Contains(name, "Salt/2 – Salt/3") {
			t.Errorf("%s is not played, and nothing is in its way", name)
		}
	}
	if n := ours + len(impossible); n != 27-8+9-4 {
		t.Errorf("%d chains with ours are played and %d impossible, want %d", ours, len(impossible), 27-8+9-4)
	}
}

// A fault without a note is one; with its note it is not, and a good cell bears none. Worlds
// that are played anew take the place of those of before, with the same Salts alone.
func TestFaultsAndMerge(t *testing.T) {
	table := func(name, wrong string) Table {
		return Table{Name: name, Columns: []Column{
			{Kind: OfMinion, Of: mom, Cells: []Cell{{"test.ping", wrong, 1}, {"file of the top", "gives false", 1}, {"mine", "", 1}}},
		}}
	}
	r := Run{Salts: map[string]string{"Salt/2": "a"}, Tables: []Table{table("mom", ""), table("mom – Salt/2", "no | return")}}
	if f := r.Faults(); len(f) != 2 || !strings.Contains(f[0], "mom: minion of mom: file of the top") || !strings.Contains(f[1], "mom – Salt/2: minion of mom: test.ping: no | return") {
		t.Errorf("faults %q", f)
	}
	page := Page(r)
	for _, want := range []string{"| test.ping | **no**: no \\| return |", "| file of the top | – (1) |", "1. **Salt.** A master of Salt's", "| mine | yes |", "3 cells are as asked, 2 are not, 1 cannot"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if !strings.Contains(page, "## Not played yet\n\n`Salt/2`, `Salt/3`, `mom – mom`,") {
		t.Error("the page does not name what was not played")
	}
	if yes, no, none := r.count(); yes != 3 || no != 2 || none != 1 {
		t.Errorf("counted %d, %d, %d", yes, no, none)
	}
	newer := Run{Salts: r.Salts, Tables: []Table{table("mom – Salt/2", ""), {Name: "Salt/2", Error: "grow"}}}
	merged, err := r.Merge(newer)
	if err != nil || len(merged.Tables) != 3 || merged.Tables[0].Name != "mom" || merged.Tables[1].Name != "Salt/2" {
		t.Errorf("merged %+v, %v", merged, err)
	}
	if f := merged.Faults(); len(f) != 2 || f[1] != "Salt/2: grow" {
		t.Errorf("faults after that %q", f)
	}
	newer.Salts = map[string]string{"Salt/2": "b"}
	if _, err := r.Merge(newer); err == nil || !strings.Contains(err.Error(), "played with Salt/2 a, these with b") {
		t.Errorf("other Salts: %v", err)
	}
}

// What is laid out for masters is whole and can be run by minions of ours.
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
		t.Errorf("greet.sh cannot be run: %v %v", i, err)
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
