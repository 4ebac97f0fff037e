package jobevent

import "github.com/momtree/mom/internal/wire"

// Closed is for the forwarder of a node: all that was told of a closed job before is
// stored. It stays at the node.
type Closed struct {
	JID  string
	Word uint64 // counts the ends that the node has told, from 1
}

// Job is the jid.
func (c Closed) Job() string { return c.JID }

// Encode gives the event.
func (c Closed) Encode() (tag string, data wire.Raw) {
	return Prefix + c.JID + "/closed", pack(wire.NewMap("jid", c.JID, "word", c.Word))
}
