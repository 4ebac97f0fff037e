package syndic

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

func question(t *testing.T, what string, nodes ...string) *wire.Map {
	t.Helper()
	arg, err := wire.Encode("hello")
	if err != nil {
		t.Fatal(err)
	}
	return questionOf(t, nodecall.Question{ID: what, What: what, Arg: arg, Within: 5 * time.Second}, nodes...)
}

func questionOf(t *testing.T, q nodecall.Question, nodes ...string) *wire.Map {
	t.Helper()
	p, err := q.Publication(nodes)
	if err != nil {
		t.Fatal(err)
	}
	m := channeltest.Job(job(1), "x", nodecall.Fun)
	m.Set("tgt", p.Tgt)
	m.Set("tgt_type", p.TgtType)
	ask, _ := p.Extra.Get(nodecall.Field)
	m.Set(nodecall.Field, ask)
	return m
}

// The node itself answers a parent's question; it is not published to minions below.
func TestQuestionsOfTheMasterAbove(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	p.Publish(question(t, "echo", "another"))
	p.Publish(question(t, "echo", "syn-a"))
	p.Publish(question(t, "nonsense", "syn-a"))
	said := map[string]*wire.Map{}
	for _, a := range p.Await(t, nodecall.Command, 2) {
		said[a.String("ask")] = a
	}
	if a := said["echo"]; a == nil || a.String("value") != "hello" || a.String("id") != "syn-a" || a.String("error") != "" {
		t.Errorf("answered %#v", a)
	}
	if a := said["nonsense"]; a == nil || a.String("error") != "unknown question: nonsense" {
		t.Errorf("answered %#v", a)
	}
	p.Publish(channeltest.Job(job(2), "*", "test.ping"))
	waiting.Until(t, "a job after the questions", func() bool { return len(n.master.published()) > 0 })
	if got := n.master.jids(); got[0] != job(2) {
		t.Errorf("published %v", got)
	}
}
