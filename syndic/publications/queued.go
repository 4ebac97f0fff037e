package publications

import (
	"context"
	"sync"
	"time"

	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
)

// queueField is the field of a publication with the deadline of a queued job, in seconds since
// 1970.
const queueField = "queue_until"

// Offering bounds the queued jobs of one parent that wait for the local master.
const Offering = 256

// askDequeue is the question by which a parent takes a queued job back.
const askDequeue = "dequeue"

// Offered holds the cancel functions of jobs that wait for the local master, by jid. The zero value
// is empty.
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

// end cancels the offers of a job.
func (o *Offered) end(jid string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, end := range o.ends[jid] {
		end()
	}
	delete(o.ends, jid)
}

// takeBack cancels the offers of a job if q takes it back.
func (o *Offered) takeBack(q nodecall.Question) {
	//mutant:engine-taken-back-is-not-offered
	if q.What != askDequeue {
		return
	}
	if d, err := wire.DecodeMap(q.Arg); err == nil { // otherwise the local master reports the error
		o.end(d.String("jid"))
	}
}

// offerUntil returns how long a queued job may wait for the local master; 0 if the job is not
// queued or its deadline has passed.
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
