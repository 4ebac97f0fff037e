package syndic

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/local"
	"github.com/momtree/mom/syndic/publications"
)

func TestPublicationIsPublishedBelow(t *testing.T) {
	p := startParent(t, channeltest.Rules{SignPublications: true})
	n := start(t, func(c *config.Syndic) { c.Upper.SignPubMessages = true }, p)
	pub := channeltest.Job(job(1), "web*", "test.arg", "a", wire.NewMap("__kwarg__", true, "b", int64(2)))
	for _, kv := range [][2]any{
		{"master_id", "top"},
		{"delimiter", "|"},
		{"to", int64(7)},
		{"user", "sudo_ann"},
		{"ret", "mysql"},
		{"ret_config", "alt"},
		{"metadata", wire.NewMap("ticket", "7")},
		{"ret_kwargs", wire.NewMap("k", "v")},
		{"auth_list", []any{"web*"}},
	} {
		pub.Set(kv[0], kv[1])
	}
	p.Publish(pub)
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	got := n.master.published()[0]
	want := wire.NewMap("cmd", "publish", "tgt", "web*", "fun", "test.arg",
		"arg", []any{"a", wire.NewMap("__kwarg__", true, "b", int64(2))}, "key", "", "tgt_type", "glob",
		"ret", "mysql", "timeout", int64(7), "jid", job(1),
		"kwargs", wire.NewMap("auth_list", []any{"web*"}, "metadata", wire.NewMap("ticket", "7"), "ret_kwargs", wire.NewMap("k", "v"),
			"master_id", "top", "user", "sudo_ann", "ret_config", "alt", "delimiter", "|"),
		"to", int64(7))
	if g, w := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", want); g != w {
		t.Errorf("published\n%s\nwant\n%s", g, w)
	}
}

func TestSeveralFunctionsAndBadPublications(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	bad := channeltest.Job(job(1), "*", "x")
	bad.Set("fun", int64(3))
	p.Publish(bad)
	noList := channeltest.Job(job(2), "*", "x")
	noList.Set("arg", "text")
	p.Publish(noList)
	p.PublishRaw("", []byte("noise"))
	many := channeltest.Job(job(3), "*", "x", []any{}, []any{"a"})
	many.Set("fun", []any{"test.ping", "test.echo"})
	p.Publish(many)
	waiting.Until(t, "the good one", func() bool { return len(n.master.published()) == 1 })
	if got := n.master.published()[0]; got.String("jid") != job(3) || len(got.List("fun")) != 2 {
		t.Errorf("published %#v", got)
	}
	// The parent is reported which jobs failed.
	for _, i := range []int{1, 2} {
		waiting.Until(t, "word of the bad ones", func() bool { return p.heard("salt/job/"+job(i)+"/missing") >= 1 })
		if nodes := p.event("salt/job/" + job(i) + "/missing").Map("nodes"); !strings.HasPrefix(nodes.String(""), "refused: ") {
			t.Errorf("reported %#v", nodes)
		}
	}
}

func TestWhatIsNotPublishedBelow(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.MasterID = "own" }, p)
	own := channeltest.Job(job(1), "*", "test.ping")
	own.Set("master_id", "own")
	probe := channeltest.Job(job(2), "*", "saltutil.find_job", job(9))
	probe.Set("mom_probe", true)
	for _, j := range []*wire.Map{own, probe, channeltest.Job(job(3), "*", "test.ping")} {
		p.Publish(j)
	}
	waiting.Until(t, "the last one", func() bool { return slices.Contains(n.master.jids(), job(3)) })
	if got := n.master.jids(); len(got) != 1 {
		t.Errorf("published %v", got)
	}
}

// An older serial counts as a replay, so publications opened out of order would be lost.
func TestNoPublicationIsLost(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	const jobs = 200
	for i := range jobs {
		p.Publish(channeltest.Job(job(i), "*", "test.ping"))
	}
	waiting.Until(t, "all jobs", func() bool { return len(n.master.published()) == jobs })
}

func TestSlowJobDelaysOnlyItsJID(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := plant(t, nil, p)
	hold := make(chan struct{})
	n.master.hold[job(1)] = hold
	n.run(t)
	n.awaitUp(t)
	first, second := channeltest.Job(job(1), "*", "first"), channeltest.Job(job(1), "*", "second")
	p.Publish(first)
	p.Publish(second)
	p.Publish(channeltest.Job(job(2), "*", "test.ping"))
	waiting.Until(t, "the slow one and the other job", func() bool {
		return slices.Contains(n.master.jids(), job(1)) && slices.Contains(n.master.jids(), job(2))
	})
	if got := n.master.published(); len(got) != 2 {
		t.Errorf("second publication of a slow jid did not wait: %d", len(got))
	}
	close(hold)
	waiting.Until(t, "all", func() bool { return len(n.master.published()) == 3 })
	if last := n.master.published()[2]; last.String("fun") != "second" {
		t.Errorf("last %#v", last)
	}
}

func TestConcurrentJobsAreBounded(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := plant(t, nil, p)
	hold := make(chan struct{})
	const jobs = 3 * publications.Publishing
	for i := range jobs {
		n.master.hold[job(i)] = hold
	}
	n.run(t)
	n.awaitUp(t)
	for i := range jobs {
		p.Publish(channeltest.Job(job(i), "*", "test.ping"))
	}
	unopened := func() int { n, _ := n.parents.links[0].publications.Waiting(); return n }
	waiting.Until(t, "the rest to wait", func() bool { return unopened() == jobs-publications.Publishing-1 })
	if got := len(n.master.published()); got > publications.Publishing {
		t.Errorf("%d concurrent jobs", got)
	}
	close(hold)
	waiting.Until(t, "all jobs", func() bool {
		seen := map[string]bool{}
		for _, j := range n.master.jids() {
			seen[j] = true
		}
		return len(seen) == jobs
	})
}

func TestNoMatch(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, never, p)
	n.master.answers(func() error { return fmt.Errorf("publish: %w", local.ErrNoMatch) })
	p.Publish(channeltest.Job(job(1), "nosuch", "test.ping"))
	waiting.Until(t, "an empty expectation", func() bool { return p.heard(job(1)) >= 1 })
	d := p.event(job(1))
	if len(d.List("minions")) != 0 || d.String("jid") != job(1) || d.Map("mom") == nil {
		t.Errorf("reported %#v", d)
	}
}

func TestLocalMasterRefuses(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	n.master.answers(func() error { return errors.New("forbidden") })
	p.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "word of it", func() bool { return p.heard("salt/job/"+job(1)+"/missing") >= 1 })
	if got := len(n.master.published()); got != 1 {
		t.Errorf("permanent refusal retried %d times", got)
	}
	if why := p.event("salt/job/" + job(1) + "/missing").Map("nodes").String(""); why != "refused: forbidden" {
		t.Errorf("reported %q", why)
	}
	n.master.answers(func() error { return fmt.Errorf("publish: %w", local.ErrNotNow) }) // as while starting
	p.Publish(channeltest.Job(job(2), "*", "test.ping"))
	waiting.Until(t, "attempts", func() bool { return len(n.master.published()) > 3 })
	n.master.mu.Lock()
	n.master.answer = nil
	before := len(n.master.jobs)
	n.master.mu.Unlock()
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) > before })
	if p.heard("salt/job/"+job(2)+"/missing") != 0 {
		t.Error("failure reported to the parent")
	}
}

// A job refused for want of a signature is reported to the parent with the reason, since the parent
// waits for the node. Two jobs; one was missed and fetched.
func TestUnsignedJobIsDeclined(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Upper.SignPubMessages = true }, p)
	p.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the answer", func() bool { return p.heard("salt/job/"+job(1)+"/missing") == 1 })
	why := p.event("salt/job/" + job(1) + "/missing").Map("nodes").String("")
	if !strings.HasPrefix(why, "refused: ") || !strings.Contains(why, "sign_pub_messages") || len(n.master.published()) != 0 {
		t.Errorf("reported %q, published %v", why, n.master.published())
	}
}
