package sim

import (
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// act is a kind of thing that a daemon of the tree does: an effect of its engine, a
// commit, an input of the engine, a message to another one.
type act string

const (
	// Effects of master/engine.
	tellOwn       act = "tell who has to answer"
	tellOn        act = "tell on who has to answer below"
	tellMissing   act = "tell who is missing"
	tellMissingOn act = "tell on who is missing below"
	tellClosed    act = "tell that a job is closed"
	fireNew       act = "fire the event of a new job"
	publishJob    act = "publish"
	skipJob       act = "answer that a job was given before"
	fireReturn    act = "fire the event of a return"
	endJob        act = "tell that a job is complete"
	noteMissed    act = "note who misses a job, for queues"
	findJob       act = "ask minions whether they work on a job"
	countRescued  act = "count who was rescued by a question"
	dropKept      act = "let the publication of an ended job go"
	endAnew       act = "end a job anew"
	ackWords      act = "acknowledge stored words"

	// Commits.
	storeJob     act = "store a job"
	storeReturns act = "store returns"
	storeWords   act = "store words"
	clearOutbox  act = "remove what was taken from the outbox"
	oweEarlier   act = "owe earlier returns to a further parent"
	noteAsker    act = "note who asked"

	// What the engine is told.
	minionCame act = "minion came"
	minionLeft act = "minion left"
	nodeCame   act = "node came"
	nodeLeft   act = "node left"
	giveAgain  act = "given again"
	adoptJob   act = "adopt"
	foundJob   act = "answer of a minion that was asked"
	toldAll    act = "all parents have heard of the end"

	// What the forwarder does for itself.
	wakeSender  act = "wake the sender"
	armGather   act = "set the gather timer"
	shiftOwners act = "look again at who owns rows"
	tellAnew    act = "begin to tell anew"

	// Messages.
	giveMinion   act = "publication to a minion"
	giveNode     act = "publication to a node"
	giveReturn   act = "return of a minion"
	ackReturn    act = "acknowledgement to a minion"
	askReturns   act = "request with returns"
	askWords     act = "request with words"
	askGreeting  act = "announcement of a node"
	answerParent act = "answer of a parent"
	greetHost    act = "announcement of a minion at a sibling"
)

// acts are all of them.
var acts = []act{
	tellOwn, tellOn, tellMissing, tellMissingOn, tellClosed, fireNew, publishJob, skipJob, fireReturn, endJob, noteMissed, findJob, countRescued,
	dropKept, endAnew, ackWords,
	storeJob, storeReturns, storeWords, clearOutbox, oweEarlier, noteAsker,
	minionCame, minionLeft, nodeCame, nodeLeft, giveAgain, adoptJob, foundJob, toldAll,
	wakeSender, armGather, shiftOwners, tellAnew,
	giveMinion, giveNode, giveReturn, ackReturn, askReturns, askWords, askGreeting, answerParent, greetHost,
}

// actOf is the kind of an effect.
func actOf(e engine.Effect) act {
	switch e := e.(type) {
	case engine.SendReport:
		switch e.Word.(type) {
		case jobevent.Closed:
			return tellClosed
		case jobevent.Missing:
			if e.From != "" {
				return tellMissingOn
			}
			return tellMissing
		}
		if e.From != "" {
			return tellOn
		}
		return tellOwn
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
	case engine.Rescued:
		return countRescued
	case engine.Ended:
		return dropKept
	case engine.EndNotStored:
		return endAnew
	case engine.Stored:
		return ackWords
	}
	panic("an effect that the simulator does not know")
}

// meddler does an act of a node, or leaves it out, does it twice, or later.
type meddler func(n *node, a act, f func())

// do is how a node does what tests meddle with.
func (n *node) do(a act, f func()) {
	if m := n.w.o.meddle; m != nil {
		m(n, a, f)
		return
	}
	f()
}

// commit has rows stored. Who leaves it out says all the same that it is done.
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
