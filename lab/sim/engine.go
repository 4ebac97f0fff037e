package sim

import (
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// newEngine makes the engine for one life of a node from what its disk stores.
func (n *node) newEngine() *engine.Engine {
	w := n.w
	return engine.New(engine.Config{
		Account: engine.AccountConfig{
			Lease: w.o.Lease, Linger: linger, Clock: clock{n, n.life}, Where: n.where,
			AskConnected: 10000 * time.Hour, // off: it would hide jobs that get stuck
		},
		Storage: n.disk, Parent: len(n.ups) > 0, Bounds: w.o.Bounds, Timeout: w.o.Timeout, Now: n.wall,
		Open: n.noted(returners.NoteOpen), Unreported: n.noted(returners.NoteUnreported),
	})
}

// runEffects carries out the effects that the engine has ready.
func (n *node) runEffects() {
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
		n.queueReport(e.Word)
	case engine.Publish:
		j := n.begins[e.JID]
		if n.clustered() {
			n.publishShared(e, j)
			return
		}
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
	case engine.TakeOver:
		n.takeOver(e)
	case engine.FindJob:
		n.ask(e.JID, e.IDs)
	case engine.Complete:
		n.complete(e.Account)
		n.wakeBatch(e.Account.JID)
	case engine.Missed:
		n.queueAway(e)
		n.wakeBatch(e.JID)
		n.w.trace(n, "%d minions and %d nodes missed %s: %s", len(e.Minions), len(e.Nodes), e.JID, reasons(e.Minions))
	case engine.Ended:
		n.over(n.w.byJID[e.JID])
	case engine.EndNotStored:
		n.w.reach(markUnended)
		if e.Again {
			n.must(n.engine.EndAgain(background, e.JID, peers{n}))
		}
	case engine.NewReturn:
		n.queueAnswered(e.Return.JID, e.Return.ID)
		n.wakeBatch(e.Return.JID)
	case engine.Stored:
		n.engine.Settle(e)
	}
}

// must panics on errors that the in-memory store cannot return.
func (n *node) must(err error) {
	if err != nil {
		panic(err)
	}
}

// noted lists the jobs with a note of one kind in the store.
func (n *node) noted(kind string) (jids []string) {
	n.must(returners.EachNote(background, n.disk, kind, func(x returners.Note) { jids = append(jids, x.JID) }))
	return jids
}

const (
	// storeDelay is how long reports of jobs wait for their commit.
	storeDelay = 2e6
	// storePause is the time between attempts to store what the disk rejected.
	storePause = 5e9
)

// storeSoon schedules a commit of the reports of jobs.
func (n *node) storeSoon() { n.storeAfter(storeDelay) }

func (n *node) storeAfter(d int64) {
	if n.saving || n.engine.Unsaved() == 0 {
		return
	}
	n.saving = true
	n.after(d+n.disk.lag(), func() {
		n.saving = false
		failed := n.saveReports() != nil
		n.runEffects()
		if failed {
			n.storeAfter(storePause)
		}
	})
}

// saveReports commits one batch of job reports.
func (n *node) saveReports() error {
	s, some := n.engine.NextSave()
	if !some {
		return nil
	}
	n.point("before expectations are stored")
	err := n.save(storeReports, s.Batch) // the outbox bound does not apply to them
	n.point("after expectations are stored")
	n.engine.Saved(s, returners.Result{}, err)
	return err
}

// reasons summarizes why minions do not answer, by path.
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
