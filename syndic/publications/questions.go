package publications

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
	o     *Options
	busy  *sync.WaitGroup
	slots chan struct{}
}

// take takes a publication that is a question of the master above to its nodes,
// and has it answered beside the stream of jobs. False: it is a job.
func (a *answerer) take(ctx context.Context, p wire.Publication) bool {
	q, asks, err := nodecall.FromPublication(p, a.o.ID)
	if err != nil {
		a.o.Log.Warn("question from parent not answered", "err", err)
	}
	if !asks || q.ID == "" {
		return asks
	}
	select {
	case a.slots <- struct{}{}:
	default:
		// The asker notices by its own time-out; answering that this node is
		// busy would be one more request.
		a.o.Log.Warn("question from parent dropped: too many at once", "what", q.What)
		return true
	}
	a.busy.Go(func() {
		defer func() { <-a.slots }()
		a.answer(ctx, q)
	})
	return true
}

func (a *answerer) answer(ctx context.Context, q nodecall.Question) {
	asked, cancel := context.WithTimeout(ctx, q.Within)
	defer cancel()
	a.o.Offered.takeBack(q)
	load := wire.NewMap("cmd", nodecall.Command, "id", a.o.ID, "ask", q.ID)
	v, err := a.o.Local.Answer(asked, q.What, q.Arg)
	if err != nil {
		load.Set("error", err.Error())
	} else {
		load.Set("value", v)
	}
	if _, err := a.o.Request(ctx, load); err != nil && ctx.Err() == nil {
		a.o.Log.Warn("answer to parent not sent", "what", q.What, "err", err)
	}
}
