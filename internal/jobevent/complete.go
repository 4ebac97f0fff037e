package jobevent

import (
	"math"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Complete reports how a job ended at the master that sends it.
type Complete struct {
	JID, Fun string
	Expected int // minions that had to answer
	Returned int // returns that report success
	Failed   int // returns that report failure
	Missing  map[string]Absence
	// Reasons counts the missing minions by reason. The event has all counts even if its list
	// of minions was cut (max_event_size). It is nil from masters of earlier builds.
	Reasons map[string]int
	Nodes   map[string]NodeState // of all nodes that were asked, by path
	Took    time.Duration        // from the publication to the end
}

// Job returns the jid.
func (c Complete) Job() string { return c.JID }

// Encode returns the tag and the data of the event.
func (c Complete) Encode() (tag string, data wire.Raw) {
	ids := sorted(c.Missing)
	d := wire.NewMap("jid", c.JID, "fun", c.Fun, "expected", c.Expected, "returned", c.Returned, "failed", c.Failed)
	if c.Reasons != nil {
		d.Set("reasons", c.Reasons)
	}
	d.Set("missing", wire.AnyList(ids))
	d.Set("absent", absences(ids, c.Missing))
	d.Set("nodes", c.Nodes)
	d.Set("seconds", c.Took.Seconds())
	return TagComplete(c.JID), pack(d)
}

// DecodeComplete decodes the data of the event of the job jid.
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
	c.Reasons = readCounts(d.Map("reasons"))
	c.Missing, err = absent(d)
	return c, err
}

// Reasons counts missing minions by reason.
func Reasons(gone map[string]Absence) map[string]int {
	n := map[string]int{}
	for _, a := range gone {
		n[a.Reason]++
	}
	return n
}

func readCounts(m *wire.Map) map[string]int {
	if m == nil {
		return nil
	}
	n := make(map[string]int, m.Len())
	for _, k := range m.Keys() {
		if reason, ok := k.(string); ok {
			n[reason] = int(m.Int(reason))
		}
	}
	return n
}
