package jobevent

import "github.com/momtree/mom/internal/wire"

// Closed reports to the forwarder of a node that every report of a closed job is stored. It
// does not leave the node.
type Closed struct {
	JID  string
	Word uint64 // number of ends that the node has reported, from 1
}

// Job returns the jid.
func (c Closed) Job() string { return c.JID }

// Encode returns the tag and the data of the event.
func (c Closed) Encode() (tag string, data wire.Raw) {
	return Prefix + c.JID + "/closed", pack(wire.NewMap("jid", c.JID, "word", c.Word))
}
