package jobevent

import (
	"math"

	"github.com/momtree/mom/internal/wire"
)

// Expectation reports which minions must answer a job, as a node found them.
type Expectation struct {
	JID string
	// Node is the path of the node that found the minions, relative to the sender.
	Node string
	// Minions are the node's own minions that must answer.
	Minions []string
	// Asked are the ids of the nodes directly below it that received the job. Each of them will
	// send an expectation.
	Asked []string
	// Unreachable maps the node's own minions that will not answer to the reason. They need not
	// be in Minions.
	Unreachable map[string]string

	// Ours reports whether the sender is mom (the event has the field `mom`). A Python master
	// sends only the minions, its own syndics among them; all other fields are empty.
	Ours bool
	// Plain reports that the expectation is a Python master's, forwarded by a mom master above
	// it, which finds out itself which of the minions are silent. Asked and Unreachable are
	// empty.
	Plain bool
	// Untracked reports that the sender cannot report minions that stay silent; the receiver
	// must find them.
	Untracked bool
	// Moved reports that the minions came to the node while they worked on the job. It
	// overrides what other nodes report about them.
	Moved bool
	// Partial reports that the expectation is not all that the node has to report: it is a
	// piece, or the node did not receive the job itself and reports minions that came to it.
	Partial bool
	// Part is the number of the publication that the node answers: 0 is the first, and each one
	// that extends the job has a greater number. If Parts is not 0, the report covers all
	// publications up to that number.
	Part, Parts int
}

// Job returns the jid.
func (x Expectation) Job() string { return x.JID }

// Under returns the report as the master above node sends it. From then on, that master looks
// for silent minions.
func (x Expectation) Under(node string) Expectation {
	if !x.Ours {
		x.Ours, x.Plain = true, true
	}
	x.Node, x.Untracked = under(node, x.Node), false
	return x
}

// Encode returns the tag and the data of the event.
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

// DecodeExpectation decodes the data of the event of the job jid.
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

// flags returns the fields that Encode omits when they are false, in wire order.
func (x *Expectation) flags() [3]flag {
	return [...]flag{{"untracked", &x.Untracked}, {"moved", &x.Moved}, {"partial", &x.Partial}}
}

type number struct {
	name string
	n    *int
}

// numbers returns the fields that Encode omits when they are 0, in wire order.
func (x *Expectation) numbers() [2]number {
	return [...]number{{"part", &x.Part}, {"parts", &x.Parts}}
}
