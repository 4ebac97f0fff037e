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
		for _, e := range told(r.Master) {
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
	eventually(t, "the guest to be told of", func() bool { told, _ := partial(); return told })
	if _, is := partial(); !is {
		t.Error("it is told as all that the node has")
	}
	r.say(testJob("*", "glob", "jid", someJob))
	if told, is := partial(); !told || is {
		t.Errorf("given the job: told %v, partial %v", told, is)
	}
}
