package master

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// A node that repeats reports about guests running a job it never received reports a partial
// account. Once it receives the job, it reports all.
func TestGuestsAreNotAllThatANodeHas(t *testing.T) {
	r := belowATop(t)
	r.start()
	r.guest("minion").listen().announce(someJob)
	partial := func() (said, is bool) {
		for _, e := range allReports(r.Master) {
			if e.Tag != someJob {
				continue
			}
			d, err := wire.DecodeMap(e.Data)
			if err != nil {
				t.Fatal(err)
			}
			said, is = true, d.Map("mom").Bool("partial")
		}
		return said, is
	}
	eventually(t, "a report of the guest", func() bool { said, _ := partial(); return said })
	if _, is := partial(); !is {
		t.Error("the report is not partial")
	}
	r.say(testJob("*", "glob", "jid", someJob))
	if said, is := partial(); !said || is {
		t.Errorf("with the job: reported %v, partial %v", said, is)
	}
}
