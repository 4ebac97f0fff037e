package publications

import (
	"context"
	"sync"

	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
)

// maxAnswering bounds the questions of one parent answered concurrently.
const maxAnswering = 8

// answerer answers the questions of one parent.
type answerer struct {
	o     *Options
	busy  *sync.WaitGroup
	slots chan struct{}
}

// take answers a publication that is a question of the parent to its nodes, concurrently with jobs.
// It returns false if the publication is a job.
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
		// The parent's request times out. Answering "busy" would cost another request.
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
