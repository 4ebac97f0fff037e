package master

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// What a node tells again of guests at work on a job that it was not given is told
// as no more than that; once it is given the job, as all.
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
