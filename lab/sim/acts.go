package sim

import (
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// act is a kind of action of a daemon in the tree: an effect of its engine, a commit, an input of
// the engine, or a message to another daemon.
type act string

const (
	// Effects of master/engine.
	reportOwn     act = "report who has to answer"
	relayOwn      act = "relay who has to answer below"
	reportMissing act = "report who is missing"
	relayMissing  act = "relay who is missing below"
	reportClosed  act = "report that a job is closed"
	fireNew       act = "fire the event of a new job"
	publishJob    act = "publish"
	skipJob       act = "answer that a job was published before"
	fireReturn    act = "fire the event of a return"
	endJob        act = "fire the event of a complete job"
	noteMissed    act = "note which minions missed a job, for queues"
	findJob       act = "ask minions whether they work on a job"
	countRescued  act = "count minions rescued by find_job"
	dropKept      act = "drop the publication of an ended job"
	endAnew       act = "end a job again"
	ackReports    act = "acknowledge stored reports"

	// Commits.
	storeJob     act = "store a job"
	storeReturns act = "store returns"
	storeReports act = "store reports"
	clearOutbox  act = "remove accepted rows from the outbox"
	backfill     act = "queue earlier returns for another parent"
	noteAsker    act = "record who requested a job"

	// Inputs of the engine.
	minionCame  act = "minion came"
	minionLeft  act = "minion left"
	nodeCame    act = "node came"
	nodeLeft    act = "node left"
	giveAgain   act = "publish again"
	adoptJob    act = "adopt"
	foundJob    act = "answer to find_job"
	endAccepted act = "all parents have accepted the end"

	// Internal steps of the forwarder.
	wakeSender  act = "wake the sender"
	armGather   act = "set the gather timer"
	shiftOwners act = "reassign rows to parents"
	reportAgain act = "start to report again"

	// Messages.
	giveMinion   act = "publication to a minion"
	giveNode     act = "publication to a node"
	sendReturn   act = "return of a minion"
	ackReturn    act = "acknowledgement to a minion"
	askReturns   act = "request with returns"
	askReports   act = "request with reports"
	askGreeting  act = "announcement of a node"
	answerParent act = "answer of a parent"
	greetHost    act = "announcement of a minion at a sibling"
)

// acts lists every act.
var acts = []act{
	reportOwn, relayOwn, reportMissing, relayMissing, reportClosed, fireNew, publishJob, skipJob, fireReturn, endJob, noteMissed, findJob, countRescued,
	dropKept, endAnew, ackReports,
	storeJob, storeReturns, storeReports, clearOutbox, backfill, noteAsker,
	minionCame, minionLeft, nodeCame, nodeLeft, giveAgain, adoptJob, foundJob, endAccepted,
	wakeSender, armGather, shiftOwners, reportAgain,
	giveMinion, giveNode, sendReturn, ackReturn, askReturns, askReports, askGreeting, answerParent, greetHost,
}

// actOf returns the act of an effect.
func actOf(e engine.Effect) act {
	switch e := e.(type) {
	case engine.SendReport:
		switch e.Word.(type) {
		case jobevent.Closed:
			return reportClosed
		case jobevent.Missing:
			if e.From != "" {
				return relayMissing
			}
			return reportMissing
		}
		if e.From != "" {
			return relayOwn
		}
		return reportOwn
	case engine.Started:
		return fireNew
	case engine.Publish:
		return publishJob
	case engine.Skip:
		return skipJob
	case engine.NewReturn:
		return fireReturn
	case engine.Complete:
		return endJob
	case engine.Missed:
		return noteMissed
	case engine.FindJob:
		return findJob
	case engine.TakeOver:
		return giveNode
	case engine.Rescued:
		return countRescued
	case engine.Ended:
		return dropKept
	case engine.EndNotStored:
		return endAnew
	case engine.Stored:
		return ackReports
	}
	panic("effect unknown to the simulator")
}

// meddler runs an act of a node, drops it, runs it twice, or delays it.
type meddler func(n *node, a act, f func())

// do runs f, an act that tests may break.
func (n *node) do(a act, f func()) {
	if m := n.w.o.meddle; m != nil {
		m(n, a, f)
		return
	}
	f()
}

// commit stores rows. If a test drops or delays the act, commit reports success all the same.
func (n *node) commit(a act, rows int, store func() (returners.Result, error)) (res returners.Result, err error) {
	begun := false
	n.do(a, func() {
		r, e := store()
		if !begun {
			res, err, begun = r, e, true
		}
	})
	if begun {
		return res, err
	}
	begun = true
	res.NewReturns = make([]bool, rows)
	for i := range res.NewReturns {
		res.NewReturns[i] = true
	}
	return res, nil
}

// save is commit for a batch without returns.
func (n *node) save(a act, b returners.Batch) error {
	_, err := n.commit(a, 0, func() (returners.Result, error) { return n.jobs.Save(background, b) })
	return err
}
