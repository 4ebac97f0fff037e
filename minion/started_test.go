package minion

import (
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/wire"
)

// With `start_event` a minion reports that it is about to run a job, before it does; without,
// not.
func TestStartEventOfAJob(t *testing.T) {
	gates.reset()
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	begun := len(m.Await(t, "_minion_event", 2))

	quiet := newJID()
	m.Publish(channeltest.Job(quiet, "m1", "test.ping"))
	m.AwaitReturn(t, quiet)

	jid := newJID()
	job := channeltest.Job(jid, "m1", "gate.wait")
	job.Set("start_event", true)
	job.Set("metadata", wire.NewMap("ticket", "T1"))
	m.Publish(job)
	e := m.Await(t, "_minion_event", begun+1)[begun] // while the function waits at its gate
	data := e.Map("data")
	if e.String("tag") != "salt/job/"+jid+"/start/m1" || data.String("id") != "m1" || data.String("jid") != jid || data.String("fun") != "gate.wait" ||
		data.String("tgt") != "m1" || data.String("tgt_type") != "glob" || data.String("user") != "root" || data.Map("metadata").String("ticket") != "T1" || data.Has("master_id") {
		t.Errorf("event %v", e)
	}
	gates.release()
	m.AwaitReturn(t, jid)
}
