package scale

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// program and lab are built without the race detector: two thousand minions and their
// master share the cores of a small machine with it.
var program, lab string

func TestMain(m *testing.M) {
	momtest.Main(m, func(dir string) (err error) {
		if program, err = momtest.Build(dir, "mom"); err != nil {
			return err
		}
		lab, err = momtest.Build(dir, "lab/momlab")
		return err
	})
}

// One node with 500 stock minions (2,000 in `make slow`): all sign in, at once and with
// the defaults of every option, and each return of each job is at the top once. How long
// it takes is not judged: other tests share the machine.
func TestScale_Stock(t *testing.T) {
	s, err := Find(stockShape)
	if err != nil {
		t.Fatal(err)
	}
	s.Jobs, s.CLI = 5, 1
	play(t, s)
}

// A node that is killed in a job and comes back loses nothing that was acknowledged.
func TestScale_Kill(t *testing.T) {
	s, err := Find("small")
	if err != nil {
		t.Fatal(err)
	}
	play(t, s)
}

// A command names or counts each of many minions that never came: of 2,000, and in `make
// slow` of 10,000, it names 1,000 one by one.
func TestScale_Absent(t *testing.T) {
	s, err := Find("absent")
	if err != nil {
		t.Fatal(err)
	}
	s.Minions, s.CLI = absentMinions, 2
	play(t, s)
}

// Minions are counted by their names and by the line that stands for the others.
func TestNamed(t *testing.T) {
	one := "a:\n    Minion did not return. [Not connected]\n"
	for out, want := range map[string]int{
		"": 0, one: 1,
		one + "7 more minions did not return [Not connected: 7]. For their names run: x\n": 8,
		"7 minions did not return [Not connected: 7]. For":                                 7,
		"7 minions did not return [Not connected: 6, No response: 1]. For":                 0,
	} {
		if got := named([]byte(out)); got != want {
			t.Errorf("%q: %d, want %d", out, got, want)
		}
	}
}

func play(t *testing.T, s Shape) {
	r, err := Run(t.Context(), Options{Program: program, Lab: lab, Dir: filepath.Join(t.TempDir(), "scale"), Unhurried: true, Say: t.Logf}, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults {
		t.Error(f)
	}
	var out strings.Builder
	if err := Table(&out, []Result{r}); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + out.String())
}

// Metrics are read with and without labels; what is none is refused.
func TestParseMetrics(t *testing.T) {
	got := map[string]float64{}
	each := func(name, labels string, v float64) { got[name+"|"+labels] = v }
	text := "# HELP x y\n# TYPE x counter\nmom_jobs_open 3\nmom_rescued_total{by=\"forwarding sweep\"} 2\n"
	if err := parseMetrics(strings.NewReader(text), each); err != nil || len(got) != 2 ||
		got["mom_jobs_open|"] != 3 || got[`mom_rescued_total|by="forwarding sweep"`] != 2 {
		t.Error(got, err)
	}
	if err := parseMetrics(strings.NewReader("a b\n"), each); err == nil {
		t.Error("taken")
	}
}

// Every shape has its nodes, and an unknown one is refused with those there are.
func TestShapes(t *testing.T) {
	for _, s := range Shapes() {
		spec, err := s.spec(func(string) (string, error) { return "", nil })
		if err != nil {
			t.Fatal(err)
		}
		nodes, _ := spec.Count()
		want, tier := 1, 1
		for _, f := range s.Fan {
			tier *= f
			want += tier
		}
		if nodes != want || s.All() != tier*s.Minions || s.Jobs+s.CLI < 1 || s.Patience <= 0 || s.Kills > max(s.Jobs-1, 0) {
			t.Errorf("%s: %d nodes, %d minions", s.Name, nodes, s.All())
		}
	}
	if _, err := Find("none"); err == nil || !strings.Contains(err.Error(), "4x2500") {
		t.Error(err)
	}
}
