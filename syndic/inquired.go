package syndic

import (
	"context"
	"sync"

	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
)

// answering is how many questions of one parent are worked on at the same time.
const answering = 8

// answerer answers what one parent asks its nodes.
type answerer struct {
	*link
	busy  *sync.WaitGroup
	slots chan struct{}
}

// take takes a publication that is a question of the master above to its nodes,
// and has it answered beside the stream of jobs. False: it is a job.
func (l *answerer) take(ctx context.Context, p wire.Publication) bool {
	q, asks, err := nodecall.FromPublication(p, l.s.ID())
	if err != nil {
		l.log.Warn("A question of the master above is not answered", "err", err)
	}
	if !asks || q.ID == "" {
		return asks
	}
	select {
	case l.slots <- struct{}{}:
	default:
		// The asker notices by its own time-out; answering that this node is
		// busy would be one more request.
		l.log.Warn("Too many questions of the master above at once; one is not answered", "what", q.What)
		return true
	}
	l.busy.Go(func() {
		defer func() { <-l.slots }()
		l.answer(ctx, q)
	})
	return true
}

func (l *answerer) answer(ctx context.Context, q nodecall.Question) {
	asked, cancel := context.WithTimeout(ctx, q.Within)
	defer cancel()
	l.s.offered.takeBack(q)
	load := wire.NewMap("cmd", nodecall.Command, "id", l.s.ID(), "ask", q.ID)
	v, err := l.s.local.Answer(asked, q.What, q.Arg)
	if err != nil {
		load.Set("error", err.Error())
	} else {
		load.Set("value", v)
	}
	if _, err := l.request(ctx, load); err != nil && ctx.Err() == nil {
		l.log.Warn("The answer to a question of the master above could not be sent", "what", q.What, "err", err)
	}
}
