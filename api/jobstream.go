package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/value"
)

// The tags of what a stream of one job tells beside its returns.
const (
	tagMissing  = "mom/job/missing"
	tagComplete = "mom/job/complete"
	tagExpected = "mom/job/expected" // where it was asked for
	tagUnsaved  = "mom/job/unsaved"
)

// news is what came of a job, or why nothing more does.
type news struct {
	u   client.Update
	err error
}

// jobStream gives the returns of a job as they come, those that are there first, and at its
// end the account.
func (s *Server) jobStream(c *call) error {
	id := c.r.PathValue("jid")
	if !jid.Valid(id) {
		return refuse(http.StatusNotFound, "this is no job id")
	}
	ctx, end, err := s.beginStream(c)
	if err != nil {
		return err
	}
	defer end()
	open, shut := context.WithTimeout(ctx, s.o.RunnerTime)
	defer shut()
	f, err := s.session(c.token).Follow(open, id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	came, done := make(chan news), make(chan struct{})
	defer func() {
		cancel(nil)
		_ = f.Close() // the job goes on
		<-done
	}()
	go func() {
		defer close(done)
		pump(ctx, f, came)
	}()
	q := c.r.URL.Query()
	expected, as := q.Get("expected") == "yes", asJSON
	if q.Get("exact") == "yes" {
		as = asExact
	}
	to := openEventSource(c.w, nil)
	if to.write("retry: 400\n") != nil || to.flush() != nil {
		return nil // whoever asked is gone
	}
	beat := time.NewTicker(beatTime)
	defer beat.Stop()
	for beats := 1; ; {
		select {
		case n := <-came:
			if n.u.Expectation != nil && !expected {
				continue
			}
			if last, err := s.tell(to, id, n, as); err != nil || last {
				return nil //nolint:nilerr // whoever asked is gone
			}
		case <-ctx.Done():
			_ = s.endStream(to, context.Cause(ctx)) // it has been told
			return nil
		case <-beat.C:
			if beats++; beats%checkEvery == 0 {
				if _, ok := s.stillHolds(ctx, c.token); !ok {
					_ = s.endStream(to, errExpired) // it has been told
					return nil
				}
			}
			if to.beat(ctx) != nil {
				return nil
			}
		}
	}
}

// pump reads what comes of a job until its end.
func pump(ctx context.Context, f Following, to chan<- news) {
	for failed := 0; ; {
		u, err := f.Next(ctx)
		if failed++; err == nil {
			failed = 0
		} else if failed == maxUnreadable {
			err = fmt.Errorf("%w: %w", client.ErrBusLost, err)
		}
		select {
		case to <- news{u, err}:
		case <-ctx.Done():
			return
		}
		if u.Complete != nil || errors.Is(err, client.ErrBusLost) || errors.Is(err, client.ErrClosed) {
			return
		}
	}
}

// tell writes one thing that happened to a job; true for the last.
func (s *Server) tell(to *eventSource, id string, n news, as form) (last bool, err error) {
	var tag string
	var data *value.Map
	switch {
	case errors.Is(n.err, client.ErrBusLost), errors.Is(n.err, client.ErrClosed):
		tag, last = tagEnd, true
		data = value.NewMap("reason", "the event bus of the master was lost; ask again")
	case n.err != nil:
		s.log.Warn("unreadable job event dropped", "jid", id, "err", n.err)
		return false, nil
	case n.u.Return != nil:
		r := n.u.Return
		v, err := r.Value.Decode()
		if err != nil {
			s.log.Warn("unreadable return dropped", "jid", id, "minion", r.ID, "err", err)
			return false, nil
		}
		tag = "salt/job/" + id + "/ret/" + r.ID
		data = value.NewMap("jid", id, "id", r.ID, "fun", r.Fun, "return", v, "retcode", r.Retcode, "success", r.Success)
		if r.Trimmed() {
			data.Set("trimmed", true) // GET /jobs/JID has it whole
		}
		if r.Out != "" {
			data.Set("out", r.Out)
		}
	case n.u.Expectation != nil:
		x := n.u.Expectation
		tag, data = tagExpected, value.NewMap("jid", id, "node", x.Node, "minions", x.Minions, "asked", x.Asked)
	case n.u.Missing != nil:
		tag, data = tagMissing, value.NewMap("jid", id, "missing", absent(n.u.Missing))
	case n.u.Unsaved != nil:
		tag, data = tagUnsaved, value.NewMap("jid", id, "id", n.u.Unsaved.ID, "reason", n.u.Unsaved.Reason)
	case n.u.Complete != nil:
		a := n.u.Complete
		tag, last = tagComplete, true
		data = value.NewMap("jid", id, "expected", a.Expected, "returned", a.Returned, "failed", a.Failed, "missing", absent(a.Missing), "took", a.Took.Seconds())
		if len(a.Nodes) > 0 {
			nodes := value.NewMap()
			for _, path := range slices.Sorted(maps.Keys(a.Nodes)) {
				nodes.Set(path, a.Nodes[path])
			}
			data.Set("nodes", nodes)
		}
	default:
		return false, nil
	}
	text, err := encode(as, value.NewMap("data", data, "tag", tag))
	if err != nil {
		s.log.Warn("job event not written", "jid", id, "tag", tag, "err", err)
		return last, nil
	}
	if err := to.send(stream.Event{Tag: tag, Data: text}); err != nil {
		return last, err
	}
	return last, to.flush()
}

func absent(gone map[string]client.Missing) *value.Map {
	out := value.NewMap()
	for _, id := range slices.Sorted(maps.Keys(gone)) {
		out.Set(id, value.NewMap("reason", gone[id].Reason, "path", gone[id].Path))
	}
	return out
}
