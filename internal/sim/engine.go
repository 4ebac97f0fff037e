package sim

import (
	"slices"
	"time"

	"github.com/momtree/mom/master/jobs"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/returners"
)

// newEngine makes the engine of one life of a node, over what is on its disk.
func (n *node) newEngine() *jobs.Engine {
	w := n.w
	return jobs.New(jobs.Config{
		Ledger: ledger.Config{
			Lease: w.o.Lease, Linger: linger, Clock: clock{n, n.life}, Where: n.where,
			AskConnected: 10000 * time.Hour, // a net, which would hide what does not go by itself
		},
		Storage: n.disk, Parent: len(n.ups) > 0, Bounds: w.o.Bounds, Timeout: w.o.Timeout, Now: w.clock,
		Open: n.noted(returners.NoteOpen), Untold: n.noted(returners.NoteUntold),
	})
}

// told carries out what the engine has to be done by now.
func (n *node) told() {
	for n.alive {
		es := n.engine.Ready()
		if len(es) == 0 {
			break
		}
		for _, e := range es {
			if n.alive {
				n.carryOut(e)
			}
		}
	}
	if n.alive {
		n.storeSoon()
	}
}

func (n *node) carryOut(e jobs.Effect) {
	switch e := e.(type) {
	case jobs.Tell:
		n.tell(e.Word)
	case jobs.Publish:
		j := n.w.byJID[e.JID]
		n.handOn(j)
		if e.Early && !n.w.o.sabotage.lateCount {
			n.must(n.engine.CountStored(background, e.JID))
		}
	case jobs.Find:
		n.ask(e.JID, e.IDs)
	case jobs.Complete:
		n.complete(e.Account)
	case jobs.Missed:
		n.w.trace(n, "misses %d minions and hears of %d nodes for %s", len(e.Minions), len(e.Nodes), e.JID)
	case jobs.Unended:
		if e.Again {
			n.must(n.engine.EndAgain(background, e.JID, presence{n}))
		}
	}
}

// must is for what memory does not fail in.
func (n *node) must(err error) {
	if err != nil {
		panic(err)
	}
}

// noted lists the jobs that the disk has a note of one kind of.
func (n *node) noted(kind string) (jids []string) {
	n.must(returners.EachNote(background, n.disk, kind, func(x returners.Note) { jids = append(jids, x.JID) }))
	return jids
}

// storeDelay is how long words of jobs wait for their commit.
const storeDelay = 2e6

// storeSoon has what was said of jobs stored.
func (n *node) storeSoon() {
	if n.saving || n.engine.Waiting() == 0 {
		return
	}
	n.saving = true
	n.after(storeDelay, func() {
		n.saving = false
		n.storeWords()
		n.told()
	})
}

// storeWords stores one batch of what was said of jobs.
func (n *node) storeWords() {
	s, some := n.engine.NextSave()
	if !some {
		return
	}
	n.point("before expectations are stored")
	if n.w.o.sabotage.adoptUnmarked {
		s.Batch.Notes = slices.DeleteFunc(s.Batch.Notes, func(x returners.Note) bool { return x.Kind == returners.NoteOpen && !x.Gone })
	}
	_, err := n.jobs.Save(background, s.Batch)
	n.must(err) // the outbox bound does not hold for them
	n.point("after expectations are stored")
	n.engine.Saved(s, returners.Result{}, nil)
}
