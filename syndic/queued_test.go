package syndic

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/local"
	"github.com/momtree/mom/syndic/publications"
)

// queuedJob returns a job with a queue deadline.
func queuedJob(i int, until time.Time) *wire.Map {
	pub := channeltest.Job(job(i), "*", "test.ping")
	pub.Set("queue_until", until.Unix())
	return pub
}

// offered returns the number of jobs waiting for the local master.
func offered(n *node) int {
	_, offered := n.parents.links[0].publications.Waiting()
	return offered
}

// A queued job is retried longer than Pace.Publish, without delaying others. Beyond the bound on
// such jobs one more is refused.
func TestQueuedJob_OfferedUntilAccepted(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := plant(t, nil, p)
	n.pace.Publish = 10 * time.Millisecond
	n.run(t)
	n.awaitUp(t)
	n.master.answers(func() error { return fmt.Errorf("publish: %w", local.ErrNotNow) })
	refused := func(i int) bool { return p.heard("salt/job/"+job(i)+"/missing") > 0 }
	for i := range publications.Offering {
		p.Publish(queuedJob(i, time.Now().Add(time.Hour)))
	}
	waiting.Until(t, "all to wait", func() bool { return offered(n) == publications.Offering })
	p.Publish(queuedJob(publications.Offering, time.Now().Add(time.Hour)))
	waiting.Until(t, "the refusal of one that is too many", func() bool { return refused(publications.Offering) })
	p.Publish(channeltest.Job(job(publications.Offering+1), "*", "test.ping"))
	waiting.Until(t, "the refusal of one that is not queued", func() bool { return refused(publications.Offering + 1) })
	n.master.answers(func() error { return nil })
	waiting.Until(t, "all to be taken", func() bool { return offered(n) == 0 })
	taken := n.master.jids()
	for i := range publications.Offering {
		if refused(i) || !slices.Contains(taken, job(i)) {
			t.Errorf("job %d: refused %v", i, refused(i))
		}
	}
}

// A queued job is retried until its deadline; one past its deadline is like any other.
func TestQueuedJob_OfferedUntilDeadline(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := plant(t, nil, p)
	n.pace.Publish = 10 * time.Millisecond
	n.run(t)
	n.awaitUp(t)
	n.master.answers(func() error { return fmt.Errorf("publish: %w", local.ErrNotNow) })
	until := time.Now().Add(time.Second)
	p.Publish(queuedJob(1, until))
	p.Publish(queuedJob(2, time.Now().Add(-time.Minute)))
	waiting.Until(t, "the refusal of the old one", func() bool { return p.heard("salt/job/"+job(2)+"/missing") > 0 })
	waiting.Until(t, "the refusal at the deadline", func() bool { return p.heard("salt/job/"+job(1)+"/missing") > 0 })
	if now := time.Now(); now.Before(until.Truncate(time.Second)) {
		t.Errorf("refused %s before its deadline", until.Sub(now))
	}
}

// A queued job that is taken back is not retried.
func TestQueuedJob_TakenBack(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := plant(t, nil, p)
	n.pace.Publish = 10 * time.Millisecond
	n.run(t)
	n.awaitUp(t)
	n.master.answers(func() error { return fmt.Errorf("publish: %w", local.ErrNotNow) })
	for i := range 2 {
		p.Publish(queuedJob(i, time.Now().Add(time.Hour)))
	}
	waiting.Until(t, "both to wait", func() bool { return offered(n) == 2 })
	for i, what := range []string{"dequeue", "queued"} {
		arg, err := wire.Encode(wire.NewMap("jid", job(i)))
		if err != nil {
			t.Fatal(err)
		}
		p.Publish(questionOf(t, nodecall.Question{ID: what, What: what, Arg: arg, Within: 5 * time.Second}, "syn-a"))
	}
	p.Await(t, nodecall.Command, 2)
	waiting.Until(t, "the end of one", func() bool { return p.heard("salt/job/"+job(0)+"/missing") > 0 })
	n.master.answers(func() error { return nil })
	waiting.Until(t, "the other to be taken", func() bool { return offered(n) == 0 })
	if p.heard("salt/job/"+job(1)+"/missing") > 0 {
		t.Error("other job refused")
	}
}
