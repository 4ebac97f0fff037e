package minion

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// siblingsChanged returns the publication by which a master reports a change of its siblings.
func siblingsChanged(t *testing.T) *wire.Map {
	t.Helper()
	p, err := nodecall.Change{What: sibling.Changed, Within: time.Millisecond}.Publication()
	if err != nil {
		t.Fatal(err)
	}
	m := channeltest.Job(newJID(), "", nodecall.Fun)
	m.Set("tgt", p.Tgt)
	m.Set("tgt_type", p.TgtType)
	v, _ := p.Extra.Get(nodecall.Field)
	m.Set(nodecall.Field, v)
	return m
}

// A minion that asked before its node knew any siblings learns them when the node does: by
// a report of the change, or with the next connection if that broke meanwhile.
func TestSiblings_ThatTheNodeLearnsLater(t *testing.T) {
	for name, announce := range map[string]func(a *channeltest.Master){
		"change":       func(a *channeltest.Master) { a.Publish(siblingsChanged(t)) },
		"a connection": func(a *channeltest.Master) { a.Down(); a.Up() },
	} {
		t.Run(name, func(t *testing.T) {
			f := startFamily(t, "a", "b")
			f.alone.Store(true)
			a := f.masters["a"]
			cfg := testConfig(t, a)
			cfg.RehomeAfter = time.Hour // its next periodic request is far away
			d := start(t, cfg)
			a.AwaitSubscribers(t, 1)
			waiting.Until(t, "an answer without siblings", func() bool {
				return readLearned(t, cfg.Cachedir).node == "a"
			})
			f.alone.Store(false)
			announce(a)
			f.knows(t, d, "a")
			for _, q := range a.Seen(sibling.Command)[1:] {
				if q.Bool("voucher") {
					t.Error("another voucher is asked for")
				}
			}
		})
	}
}
