package jobevent

import (
	"math"

	"github.com/momtree/mom/internal/wire"
)

// Expectation is what a node found when it was given a job: who has to answer.
type Expectation struct {
	JID string
	// Node is the path of the node whose expectation it is, from the node that tells it.
	Node string
	// Minions are its own minions that have to answer.
	Minions []string
	// Asked are the ids of the nodes right below it that it has given the job: from each of
	// them an expectation is to come.
	Asked []string
	// Unreachable are those of its own minions that will not answer, with the reason. They
	// need not stand in Minions.
	Unreachable map[string]string

	// Ours tells that a master of ours speaks (it has the field `mom`). A Python master names
	// the minions alone, syndics of its own among them; of it all other fields are empty.
	Ours bool
	// Plain tells that it is a Python master's, as a master of ours above that one tells it,
	// which finds out who of them is silent. It names nobody as asked or unreachable.
	Plain bool
	// Untracked tells that who speaks cannot name those that are silent later: the master
	// that hears it has to find out.
	Untracked bool
	// Moved tells that the minions came to the node while they worked on the job, whatever
	// other nodes say of them.
	Moved bool
	// Partial tells that there is more to come of the same node: it was not given the job
	// itself and speaks of minions that came to it, or this is a piece of what it has to say.
	Partial bool
	// Part is the publication of the job that the node answers: 0 is the first, and each one
	// that extends the job has a greater number. Parts, if it is not 0, tells that the word is
	// about all publications up to that number.
	Part, Parts int
}

// Job is the jid.
func (x Expectation) Job() string { return x.JID }

// Under is the same word as the master above tells it, which has heard it from node: from
// there on that one looks for who is silent.
func (x Expectation) Under(node string) Expectation {
	if !x.Ours {
		x.Ours, x.Plain = true, true
	}
	x.Node, x.Untracked = under(node, x.Node), false
	return x
}

// Encode gives the event.
func (x Expectation) Encode() (tag string, data wire.Raw) {
	d := wire.NewMap("minions", x.Minions)
	if !x.Ours {
		return x.JID, pack(d)
	}
	ours := wire.NewMap("node", x.Node, "asked", x.Asked, "unreachable", x.Unreachable)
	if x.Plain {
		ours = wire.NewMap("plain", true, "node", x.Node)
	}
	for _, f := range x.flags() {
		if *f.set {
			ours.Set(f.name, true)
		}
	}
	for _, f := range x.numbers() {
		if *f.n > 0 {
			ours.Set(f.name, *f.n)
		}
	}
	d.Set("jid", x.JID)
	d.Set("mom", ours)
	return x.JID, pack(d)
}

// DecodeExpectation reads the event of a job.
func DecodeExpectation(jid string, data wire.Raw) (Expectation, error) {
	d, err := wire.DecodeMap(data)
	if err != nil {
		return Expectation{}, err
	}
	x := Expectation{JID: jid, Minions: d.Strings("minions")}
	ours := d.Map("mom")
	if ours == nil {
		return x, nil
	}
	x.Ours, x.Plain, x.Node = true, ours.Bool("plain"), ours.String("node")
	if !x.Plain {
		x.Asked, x.Unreachable = ours.Strings("asked"), texts[string](ours.Map("unreachable"))
	}
	for _, f := range x.flags() {
		*f.set = ours.Bool(f.name)
	}
	for _, f := range x.numbers() {
		*f.n = int(min(max(ours.Int(f.name), 0), math.MaxInt32))
	}
	return x, nil
}

type flag struct {
	name string
	set  *bool
}

// flags are the fields that are left out when they are false, in their order.
func (x *Expectation) flags() [3]flag {
	return [...]flag{{"untracked", &x.Untracked}, {"moved", &x.Moved}, {"partial", &x.Partial}}
}

type number struct {
	name string
	n    *int
}

// numbers are the fields that are left out when they are 0, in their order.
func (x *Expectation) numbers() [2]number {
	return [...]number{{"part", &x.Part}, {"parts", &x.Parts}}
}
