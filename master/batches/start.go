package batches

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/wire"
)

// Start holds the parameters of a new batch. Fields are as in State.
type Start struct {
	Minions         []string
	Size            string // a number of minions, or a percentage of them
	BatchWait       float64
	Failhard        bool
	Fun, Arg        wire.Raw
	Tgt             any
	TgtType         string
	Ret, User       string
	Timeout, Gather float64
	By              batchstate.By
}

// Start publishes the first slice of a batch and drives the rest. The error is that of the
// publication, [ErrBusy], or that of an invalid batch.
func (s *Service) Start(ctx context.Context, o Start) (*wire.Map, error) {
	o.Minions = distinct(o.Minions)
	size, err := client.Batch{Size: o.Size}.Slots(len(o.Minions))
	if err != nil {
		return nil, fmt.Errorf("start a batch: %w", err)
	}
	if len(o.Minions) == 0 {
		return nil, fmt.Errorf("start a batch: %w", ErrNobody)
	}
	if o.BatchWait < 0 || math.IsNaN(o.BatchWait) || math.IsInf(o.BatchWait, 1) {
		return nil, errors.New("start a batch: batch_wait is not a number of seconds")
	}
	if err := s.place(); err != nil {
		return nil, err
	}
	now := s.o.Now()
	st := batchstate.New(o.Minions, size, now)
	st.Fun, st.Arg, st.Tgt, st.TgtType, st.Ret, st.User, st.By = o.Fun, o.Arg, o.Tgt, o.TgtType, o.Ret, o.User, o.By
	st.Timeout, st.Gather, st.Failhard, st.BatchWait = o.Timeout, o.Gather, o.Failhard, o.BatchWait
	first := st.Progress(batchstate.Outcomes{}, now)
	if st.JID, err = s.o.Publish(ctx, st, first); err != nil {
		s.free()
		return nil, err
	}
	summary := st.Summary(now)
	l, err := s.claim(st.JID)
	err = errors.Join(err, s.files.write(st), s.files.enlist(st.JID, true))
	if err != nil { // the batch outlives the request
		s.o.Log.Error("batch not stored, it will not survive a restart", "jid", st.JID, "err", err)
	}
	if !s.drive(st, l, true) {
		s.free()
		return nil, fmt.Errorf("%w: the master is shutting down", ErrNotNow)
	}
	s.o.Log.Info("batch started", "jid", summary.String("jid"), "user", o.User, "minions", len(o.Minions), "batch_size", size)
	return summary, nil
}

// distinct returns the ids without duplicates.
func distinct(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		again := seen[id] || id == ""
		seen[id] = true
		return again
	})
}
