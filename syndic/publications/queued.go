package publications

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/local"
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

// offer goes on offering a queued job which the local master does not take as yet: its disk
// takes nothing, say. The parent, which has not heard who has to answer, queues for those
// behind this node meanwhile; were it told of a refusal, it would give the job to nobody here
// any more, for it is given to who comes and this node stays. why is what the last attempt
// ended with; waits is called before it waits. It gives up at the deadline, when the job is taken back, or when too many
// wait so.
func (p *publisher) offer(ctx context.Context, pub wire.Publication, job wire.PublishLoad, why error, waits func()) error {
	left := offerUntil(pub)
	if left <= 0 {
		return why
	}
	select {
	case p.offers <- struct{}{}:
	default:
		return why
	}
	defer func() { <-p.offers }()
	waits()
	p.o.Log.Warn("A queued job of the master above cannot be taken now and is offered until its deadline", "jid", pub.JID, "within", left, "err", why)
	ctx, cancel := context.WithTimeout(ctx, left)
	defer p.o.Offered.end(pub.JID)
	p.o.Offered.add(pub.JID, cancel)
	for {
		if err := p.insist(ctx, job); !errors.Is(err, local.ErrNotNow) || ctx.Err() != nil {
			return err
		}
	}
}
