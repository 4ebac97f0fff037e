package jobevent

import "github.com/momtree/mom/internal/wire"

// New tells Salt's way that a master begins a job.
type New struct {
	JID     string
	TgtType string
	// Tgt, Fun and Arg are as the command gave them: what [wire.Encode] takes, and what
	// [wire.Decode] gives.
	Tgt, Fun, Arg    any
	User             string
	Minions, Missing []string // of the master's own; Missing: named in a list and not known to it
}

// Job is the jid.
func (n New) Job() string { return n.JID }

// Encode gives the event.
func (n New) Encode() (tag string, data wire.Raw) {
	return Prefix + n.JID + "/new", pack(wire.NewMap("jid", n.JID, "tgt_type", n.TgtType, "tgt", n.Tgt, "user", n.User,
		"fun", n.Fun, "arg", n.Arg, "minions", n.Minions, "missing", n.Missing))
}

// DecodeNew reads the event of a job.
func DecodeNew(jid string, data wire.Raw) (New, error) {
	d, err := wire.DecodeMap(data)
	if err != nil {
		return New{}, err
	}
	n := New{JID: jid, TgtType: d.String("tgt_type"), User: d.String("user"), Minions: d.Strings("minions"), Missing: d.Strings("missing")}
	n.Tgt, _ = d.Get("tgt")
	n.Fun, _ = d.Get("fun")
	n.Arg, _ = d.Get("arg")
	return n, nil
}
