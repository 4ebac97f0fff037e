package master

import (
	"errors"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
)

// With sign_jobs the top signs each job. A node forwards signatures and signs nothing, whatever its
// local user publishes.
func TestSignedJobs(t *testing.T) {
	top := newRig(t, func(c *config.Master) { c.SignJobs = true })
	top.start()
	m := top.minion("m1", "minion", "minion").listen().announce()
	v := jobfields.NewVerifier(top.keys.Identity.Pair.Public())
	top.say(testJob("m1", "glob", "kwargs", wire.NewMap("metadata", wire.NewMap("ticket", 7))))
	p := m.hear()
	_, expires, err := v.Verify(p, time.Now())
	if err != nil || time.Until(expires) < 30*time.Minute {
		t.Fatalf("until %v: %v", expires, err)
	}
	// A node, whose user must not be able to reuse the signature for another job.
	order, _ := p.Extra.Get(jobfields.SignatureField)
	node := newRig(t)
	node.start()
	below := node.minion("m1", "minion", "minion").listen().announce()
	kwargs := func() *wire.Map {
		return wire.NewMap("metadata", wire.NewMap("ticket", 7), jobfields.SignatureField, order, "user", p.User)
	}
	node.say(testJob("m1", "glob", "jid", p.JID, "kwargs", kwargs()))
	if _, _, err := v.Verify(below.hear(), time.Now()); err != nil {
		t.Errorf("through the node: %v", err)
	}
	node.say(testJob("m1", "glob", "jid", someJob, "kwargs", kwargs()))
	if _, _, err := v.Verify(below.hear(), time.Now()); !errors.Is(err, jobfields.ErrAltered) {
		t.Errorf("for another job: %v", err)
	}
	node.say(testJob("m1", "glob", "kwargs", kwargs()))
	if _, _, err := v.Verify(below.hear(), time.Now()); !errors.Is(err, jobfields.ErrUnsigned) {
		t.Errorf("a job of the node's own: %v", err)
	}
}
