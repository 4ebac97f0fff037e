package jobevent

import (
	"math"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Complete is how a job ended for the master that tells it.
type Complete struct {
	JID, Fun string
	Expected int // minions that had to answer
	Returned int // returns that tell success
	Failed   int // those that do not
	Missing  map[string]Absence
	Nodes    map[string]NodeState // of all nodes that were asked, by path
	Took     time.Duration        // from the publication to the end
}

// Job is the jid.
func (c Complete) Job() string { return c.JID }

// Encode gives the event.
func (c Complete) Encode() (tag string, data wire.Raw) {
	return TagComplete(c.JID), pack(wire.NewMap("jid", c.JID, "fun", c.Fun, "expected", c.Expected, "returned", c.Returned, "failed", c.Failed,
		"missing", wire.AnyList(sorted(c.Missing)), "absent", absences(c.Missing), "nodes", c.Nodes, "seconds", c.Took.Seconds()))
}

// DecodeComplete reads the event of a job.
func DecodeComplete(jid string, data wire.Raw) (Complete, error) {
	d, err := wire.DecodeMap(data)
	if err != nil {
		return Complete{}, err
	}
	c := Complete{
		JID: jid, Fun: d.String("fun"), Expected: int(d.Int("expected")), Returned: int(d.Int("returned")), Failed: int(d.Int("failed")),
		Nodes: texts[NodeState](d.Map("nodes")),
	}
	if s := d.Float("seconds"); math.Abs(s) < math.MaxInt64/float64(time.Second) { // no number is not
		c.Took = time.Duration(math.Round(s * float64(time.Second)))
	}
	c.Missing, err = absent(d)
	return c, err
}
