package minion

import (
	"slices"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
)

// A job whose return the master has is not reported as running while a returner still writes:
// another master, to which the minion then moves, would wait for that return.
func TestUnderWay_EndsWithTheReturn(t *testing.T) {
	gates.reset()
	release := fakeReturner().slow()
	defer release()
	m := channeltest.Start(t, channeltest.Rules{})
	d := start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	jid := newJID()
	job := channeltest.Job(jid, "m1", "gate.wait")
	job.Set("ret", "minion_test")
	m.Publish(job)
	_, entered := gates.channels()
	<-entered
	l := d.sessions.Serving()[0]
	if !slices.Equal(l.UnderWay(), []string{jid}) {
		t.Errorf("while it runs: %v", l.UnderWay())
	}
	gates.release()
	m.AwaitReturn(t, jid)
	waiting.Until(t, "the acknowledgement", func() bool { return l.Outbox().Depth() == 0 })
	if !runs(d, jid) {
		t.Fatal("the job has ended: this test shows nothing")
	}
	if jids := l.UnderWay(); len(jids) != 0 {
		t.Errorf("the master has the return, and yet it is under way: %v", jids)
	}
	release()
	waiting.Until(t, "the end of the job", func() bool { return !runs(d, jid) })
}

// runs reports whether the minion is running a job.
func runs(d *daemon, jid string) bool {
	_, ok := d.jobs.Table().Find(jid)
	return ok
}
