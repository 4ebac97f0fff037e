package nodecall

import (
	"time"

	"github.com/momtree/mom/internal/wire"
)

// News tells peers below that what they ask their master for now and then has
// changed: they ask again. It travels as a question to nobody, so that no peer takes
// it for a job, one that does not know it either, and it is not answered.
type News struct {
	What string // what has changed
	// Within is the time over which those who hear it spread their requests, in whole
	// milliseconds on the wire, at most 10 minutes.
	Within time.Duration
}

// Publication is the news on its way; the caller adds the jid.
func (n News) Publication() (wire.Publication, error) {
	return Question{What: n.What, Within: n.Within}.Publication([]string{})
}

// ReadNews reads news; false means that the publication is something else.
func ReadNews(p wire.Publication) (n News, is bool) {
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
	return News{What: q.What, Within: q.Within}, true
}
