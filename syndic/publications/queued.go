package publications

import (
	"context"
	"sync"
	"time"

	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
)

// queueField is the deadline of a job that is queued for who is away, in its publication:
// seconds since 1970.
const queueField = "queue_until"

// Offering is how many queued jobs of one parent wait until the local master takes them,
// beside those that were just given.
const Offering = 256

// askDequeue is the question by which the masters above take a queued job back.
const askDequeue = "dequeue"

// Offered are the jobs that wait so, by jid, with what ends that. The zero value has none.
type Offered struct {
	mu   sync.Mutex
	ends map[string][]context.CancelFunc
}

func (o *Offered) add(jid string, end context.CancelFunc) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ends == nil {
		o.ends = map[string][]context.CancelFunc{}
	}
	o.ends[jid] = append(o.ends[jid], end)
}

// end has a job offered no more.
func (o *Offered) end(jid string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, end := range o.ends[jid] {
		end()
	}
	delete(o.ends, jid)
}

// takeBack ends the offers of a job that a master above takes back.
func (o *Offered) takeBack(q nodecall.Question) {
	//mutant:engine-taken-back-is-not-offered
	if q.What != askDequeue {
		return
	}
	if d, err := wire.DecodeMap(q.Arg); err == nil { // else the local master says what is wrong
		o.end(d.String("jid"))
	}
}

// offerUntil gives how long a job is offered to the local master that takes none now; 0: it
// is not queued, or no more.
func offerUntil(p wire.Publication) time.Duration {
	if p.Extra == nil {
		return 0
	}
	v, ok := p.Extra.Get(queueField)
	if !ok {
		return 0
	}
	if raw, is := v.(wire.Raw); is {
		var err error
		if v, err = wire.Decode(raw); err != nil {
			return 0
		}
	}
	seconds := wire.NewMap("v", v).Float("v")
	if seconds <= 0 {
		return 0
	}
	return time.Until(time.Unix(int64(seconds), 0))
}
