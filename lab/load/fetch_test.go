package load

import (
	"strings"
	"testing"

	"github.com/momtree/mom/lab/swarm"
)

// Sixty minions, of both kinds, fetch 3 MiB each, their pillars and two highstates from a real
// master: each has each file once, with the hash that it has on the disk, and its own pillar.
// How long it takes is not judged.
func TestFetch(t *testing.T) {
	f, err := Fetch(t.Context(), FetchOptions{Program: program, Dir: t.TempDir(), Minions: 60, MomShare: 0.5, Megabytes: 3, States: true})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + out.String())
	for _, fault := range f.Faults() {
		t.Error(fault)
	}
	if len(f.Acts) != 4 || f.Acts[0].Peak == 0 || f.Acts[0].Share == 0 || f.Acts[0].Work.Bytes != 60*3<<20 || f.Acts[2].Work.Requests < 60*(stateFiles*4) {
		t.Errorf("%+v", f)
	}
	if err := f.JSON(&out); err != nil || !strings.Contains(out.String(), `"master_vmhwm"`) {
		t.Error(err)
	}
}

// The account finds what is lost, doubled, foreign or spoilt.
func TestFetchFaults(t *testing.T) {
	a := act{files: 1, pillars: 1, sum: "s"}
	right := FetchAct{Returned: 5, Work: swarm.Work{Minions: 5, Files: 5, Pillars: 5, Sums: map[string]int{"s": 5}}}
	for name, spoil := range map[string]func(*FetchAct){
		"": func(*FetchAct) {}, "lost": func(f *FetchAct) { f.Lost = 1 }, "silent": func(f *FetchAct) { f.Returned = 4 }, "twice": func(f *FetchAct) { f.Work.Files = 6 },
		"held": func(f *FetchAct) { f.Work.Held = 1 }, "another file": func(f *FetchAct) { f.Work.Sums = map[string]int{"s": 4, "t": 1} }, "wrong": func(f *FetchAct) { f.Work.Wrong = 1 },
		"absent": func(f *FetchAct) { f.Work.Absent = 1 }, "foreign": func(f *FetchAct) { f.Work.Foreign = 1 }, "errors": func(f *FetchAct) { f.Work.Faulty = 1 }, "failed": func(f *FetchAct) { f.Work.Failed = 1 },
	} {
		f := right
		spoil(&f)
		if f.judge(a, 5); (len(f.Wrong) > 0) != (name != "") {
			t.Errorf("%q: %v", name, f.Wrong)
		}
	}
}
