package sim

import (
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// newEngine makes the engine of one life of a node, over what is on its disk.
func (n *node) newEngine() *engine.Engine {
	w := n.w
	return engine.New(engine.Config{
		Account: engine.AccountConfig{
			Lease: w.o.Lease, Linger: linger, Clock: clock{n, n.life}, Where: n.where,
			AskConnected: 10000 * time.Hour, // a net, which would hide what does not go by itself
		},
		Storage: n.disk, Parent: len(n.ups) > 0, Bounds: w.o.Bounds, Timeout: w.o.Timeout, Now: n.wall,
		Open: n.noted(returners.NoteOpen), Unreported: n.noted(returners.NoteUnreported),
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

func (n *node) carryOut(e engine.Effect) {
	if n.w.o.meddle == nil {
		n.perform(e)
		return
	}
	n.do(actOf(e), func() { n.perform(e) })
}

func (n *node) perform(e engine.Effect) {
	n.see(e)
	switch e := e.(type) {
	case engine.SendReport:
		n.tell(e.Word)
	case engine.Publish:
		j := n.begins[e.JID]
		n.handOn(j)
		n.handedOut(j)
		if e.Early && !n.w.o.sabotage.lateCount {
			n.must(n.engine.CountStored(background, e.JID))
		}
		n.begun(e.JID)
	case engine.Skip:
		n.w.reach(markGivenTwice)
		n.skipped = e.JID
		n.begun(e.JID)
	case engine.FindJob:
		n.ask(e.JID, e.IDs)
	case engine.Complete:
		n.complete(e.Account)
		n.batchNews(e.Account.JID)
	case engine.Missed:
		n.queueAway(e)
		n.batchNews(e.JID)
		n.w.trace(n, "misses %d minions and hears of %d nodes for %s: %s", len(e.Minions), len(e.Nodes), e.JID, reasons(e.Minions))
	case engine.Ended:
		n.over(n.w.byJID[e.JID])
	case engine.EndNotStored:
		n.w.reach(markUnended)
		if e.Again {
			n.must(n.engine.EndAgain(background, e.JID, peers{n}))
		}
	case engine.NewReturn:
		n.queueAnswered(e.Return.JID, e.Return.ID)
		n.batchNews(e.Return.JID)
	case engine.Stored:
		n.engine.Settle(e)
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

const (
	// storeDelay is how long words of jobs wait for their commit.
	storeDelay = 2e6
	// storePause lies between attempts to store what a disk has not taken.
	storePause = 5e9
)

// storeSoon has what was said of jobs stored.
func (n *node) storeSoon() { n.storeAfter(storeDelay) }

func (n *node) storeAfter(d int64) {
	if n.saving || n.engine.Unsaved() == 0 {
		return
	}
	n.saving = true
	n.after(d+n.disk.lag(), func() {
		n.saving = false
		failed := n.storeWords() != nil
		n.told()
		if failed {
			n.storeAfter(storePause)
		}
	})
}

// storeWords stores one batch of what was said of jobs.
func (n *node) storeWords() error {
	s, some := n.engine.NextSave()
	if !some {
		return nil
	}
	n.point("before expectations are stored")
	err := n.save(storeWords, s.Batch) // the outbox bound does not hold for them
	n.point("after expectations are stored")
	n.engine.Saved(s, returners.Result{}, err)
	return err
}

// reasons counts why minions do not answer, by the path to them.
func reasons(gone map[string]jobevent.Absence) string {
	counts := map[string]int{}
	for _, g := range gone {
		counts[fmt.Sprintf("%s at %q", g.Reason, g.Path)]++
	}
	var out []string
	for _, why := range sortedKeys(counts) {
		out = append(out, fmt.Sprintf("%d %s", counts[why], why))
	}
	return strings.Join(out, ", ")
}
