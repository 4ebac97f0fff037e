package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// The tags of a stream of one job, beside those of its returns.
const (
	tagMissing  = "mom/job/missing"
	tagComplete = "mom/job/complete"
	tagExpected = "mom/job/expected" // only on request
	tagUnsaved  = "mom/job/unsaved"
)

// maxUnreadable is the number of consecutive unreadable events after which a job is given up.
const maxUnreadable = 16

// jobStream writes the updates of one job as server-sent events.
type jobStream struct {
	jid      string
	to       *eventSource
	form     form
	expected bool // sends expectations too
	log      *slog.Logger
}

// jobUpdate is an update of a job, or the error that ends it.
type jobUpdate struct {
	u   client.Update
	err error
}

// serve writes the updates of a job until its end, or until ctx ends. It closes the subscription,
// and asks valid from time to time whether the user still has access.
func (s *jobStream) serve(ctx context.Context, f Following, valid func(context.Context) bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	updates, done := make(chan jobUpdate), make(chan struct{})
	defer func() {
		cancel(nil)
		_ = f.Close() // the job continues
		<-done
	}()
	go func() {
		defer close(done)
		readUpdates(ctx, f, updates)
	}()
	if s.to.write("retry: 400\n") != nil || s.to.flush() != nil {
		return // the client has gone
	}
	beat := time.NewTicker(beatTime)
	defer beat.Stop()
	for beats := 1; ; {
		select {
		case u := <-updates:
			if u.u.Expectation != nil && !s.expected {
				continue
			}
			if last, err := s.send(u); err != nil || last {
				return
			}
		case <-ctx.Done():
			_ = sendEnd(s.to, context.Cause(ctx)) // the client may have gone
			return
		case <-beat.C:
			if beats++; beats%checkEvery == 0 && !valid(ctx) {
				_ = sendEnd(s.to, errExpired) // the client may have gone
				return
			}
			if s.to.beat(ctx) != nil {
				return
			}
		}
	}
}

// readUpdates reads the updates of a job until its end.
func readUpdates(ctx context.Context, f Following, to chan<- jobUpdate) {
	for failed := 0; ; {
		u, err := f.Next(ctx)
		if failed++; err == nil {
			failed = 0
		} else if failed == maxUnreadable {
			err = fmt.Errorf("%w: %w", client.ErrBusLost, err)
		}
		select {
		case to <- jobUpdate{u, err}:
		case <-ctx.Done():
			return
		}
		if u.Complete != nil || errors.Is(err, client.ErrBusLost) || errors.Is(err, client.ErrClosed) {
			return
		}
	}
}

// send writes one update. It returns true for the last.
func (s *jobStream) send(u jobUpdate) (last bool, err error) {
	e, data, last := s.event(u)
	if data == nil {
		return false, nil
	}
	if e.Data, err = encode(s.form, value.NewMap("data", data, "tag", e.Tag)); err != nil {
		s.log.Warn("job event not written", "jid", s.jid, "tag", e.Tag, "err", err)
		return last, nil
	}
	if err := s.to.send(e); err != nil {
		return last, err
	}
	return last, s.to.flush()
}

// event returns the event of an update and its data; nil for an update without one. last is true for
// the last event.
func (s *jobStream) event(n jobUpdate) (e stream.Event, data *value.Map, last bool) {
	switch {
	case errors.Is(n.err, client.ErrBusLost), errors.Is(n.err, client.ErrClosed):
		return stream.Event{Tag: tagEnd}, value.NewMap("reason", "the event bus of the master was lost; ask again"), true
	case n.err != nil:
		s.log.Warn("unreadable job event dropped", "jid", s.jid, "err", n.err)
	case n.u.Return != nil:
		return stream.Event{Tag: "salt/job/" + s.jid + "/ret/" + n.u.Return.ID}, s.returned(n.u.Return), false
	case n.u.Expectation != nil:
		x := n.u.Expectation
		return stream.Event{Tag: tagExpected}, value.NewMap("jid", s.jid, "node", x.Node, "minions", x.Minions, "asked", x.Asked), false
	case n.u.Missing != nil:
		return stream.Event{Tag: tagMissing}, value.NewMap("jid", s.jid, "missing", missingMinions(n.u.Missing)), false
	case n.u.Unsaved != nil:
		return stream.Event{Tag: tagUnsaved}, value.NewMap("jid", s.jid, "id", n.u.Unsaved.ID, "reason", n.u.Unsaved.Reason), false
	case n.u.Complete != nil:
		return stream.Event{Tag: tagComplete}, s.completed(n.u.Complete), true
	}
	return stream.Event{}, nil, false
}

// returned is the data of a return; nil if it is unreadable.
func (s *jobStream) returned(r *client.Return) *value.Map {
	v, err := r.Value.Decode()
	if err != nil {
		s.log.Warn("unreadable return dropped", "jid", s.jid, "minion", r.ID, "err", err)
		return nil
	}
	data := value.NewMap("jid", s.jid, "id", r.ID, "fun", r.Fun, "return", v, "retcode", r.Retcode, "success", r.Success)
	if r.Trimmed() {
		data.Set("trimmed", true) // GET /jobs/JID has the whole value
	}
	if r.Out != "" {
		data.Set("out", r.Out)
	}
	return data
}

func (s *jobStream) completed(a *client.Account) *value.Map {
	data := value.NewMap("jid", s.jid, "expected", a.Expected, "returned", a.Returned, "failed", a.Failed, "missing", missingMinions(a.Missing), "took", a.Took.Seconds())
	if len(a.Nodes) > 0 {
		nodes := value.NewMap()
		for _, path := range slices.Sorted(maps.Keys(a.Nodes)) {
			nodes.Set(path, a.Nodes[path])
		}
		data.Set("nodes", nodes)
	}
	return data
}
