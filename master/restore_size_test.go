package master

import (
	"context"
	"errors"
	"testing"

	"github.com/momtree/mom/returners"
)

// noResults is a store whose results must not be read.
type noResults struct {
	returners.JobStore
	read *bool
}

func (s noResults) GetReturns(context.Context, string) ([]returners.Return, error) {
	*s.read = true
	return nil, errors.New("the results are read")
}

// A start restores open jobs without reading results: there may be thousands of jobs with ten
// thousand returns each.
func TestAStartReadsNoResults(t *testing.T) {
	r := newRig(t)
	var read bool
	r.opts.wrapStore = func(s returners.JobStore) returners.JobStore { return noResults{s, &read} }
	r.start()
	var jid string
	ms := map[string]*minion{}
	for _, id := range []string{"m1", "m2", "m3"} {
		ms[id] = r.minion(id, "minion", "minion").listen().announce()
	}
	jid = r.say(testJob("*", "glob")).Map("load").String("jid")
	for _, id := range []string{"m1", "m2"} {
		ms[id].hear()
		if err := ms[id].answer(jid, "result"); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "both returns", func() bool { a, _ := r.jobs.State(jid); return a.Returned == 2 })
	read = false
	r.restart()
	if a, ok := r.jobs.State(jid); !ok || !a.Open() || a.Expected != 3 || a.Returned != 2 || len(a.Waiting) != 1 {
		t.Errorf("the account is %+v, %v", a, ok)
	}
	if read {
		t.Error("results were read")
	}
	ms["m3"].announce()
	if err := ms["m3"].answer(jid, "result"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "its end", func() bool { return r.closed(jid) })
	if a, ok := r.jobs.State(jid); ok && (a.Returned != 3 || len(a.Missing) != 0) {
		t.Errorf("closed with %+v", a)
	}
}
