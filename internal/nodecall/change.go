package nodecall

import (
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Change reports to peers below that something they request periodically has changed, so that
// they request it again. It is sent as a question to no node: peers that do not know it do not
// mistake it for a job, and nobody answers.
type Change struct {
	What string // what has changed
	// Within is the time over which receivers spread their requests, in whole milliseconds on
	// the wire, at most 10 minutes.
	Within time.Duration
}

// Publication returns the publication that carries n, without a jid.
func (n Change) Publication() (wire.Publication, error) {
	return Question{What: n.What, Within: n.Within}.Publication([]string{})
}

// ReadChange decodes n; false means that the publication is something else.
func ReadChange(p wire.Publication) (n Change, is bool) {
	if p.Extra == nil {
		return n, false
	}
	v, asks := p.Extra.Get(Field)
	if !asks {
		return n, false
	}
	q, err := readQuestion(v)
	if err != nil || q.ID != "" || q.What == "" {
		return n, false
	}
	return Change{What: q.What, Within: q.Within}, true
}
