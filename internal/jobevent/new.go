package jobevent

import "github.com/momtree/mom/internal/wire"

// New is the event by which a master, as in Salt, reports that a job begins.
type New struct {
	JID     string
	TgtType string
	// Tgt, Fun and Arg are as in the command: values that [wire.Encode] accepts and
	// [wire.Decode] returns.
	Tgt, Fun, Arg    any
	User             string
	Minions, Missing []string // the master's own minions; Missing: ids in a list target that the master does not know
}

// Job returns the jid.
func (n New) Job() string { return n.JID }

// Encode returns the tag and the data of the event.
func (n New) Encode() (tag string, data wire.Raw) {
	return Prefix + n.JID + "/new", pack(wire.NewMap("jid", n.JID, "tgt_type", n.TgtType, "tgt", n.Tgt, "user", n.User,
		"fun", n.Fun, "arg", n.Arg, "minions", n.Minions, "missing", n.Missing))
}

// DecodeNew decodes the data of the event of the job jid.
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
