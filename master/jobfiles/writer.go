package jobfiles

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// Writer writes jobs and returns where Salt's programs look for them. It logs errors, as both are in the
// job store. It is safe for concurrent use.
type Writer struct {
	Folder *Folder // nil: nothing is written
	// Store has the state of jobs.
	Store interface {
		GetLoad(ctx context.Context, jid string) (returners.Load, bool, error)
		GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error)
	}
	// Returns says that returns are written.
	Returns bool
	Log     *slog.Logger
}

// Job writes a job.
func (w *Writer) Job(jid string, load wire.Raw, minions []string) {
	if w.Folder == nil {
		return
	}
	if err := w.Folder.Save(jid, load, minions); err != nil {
		w.Log.Warn("job load not written to the Salt job cache", "jid", jid, "err", err)
	}
}

// Grown writes an extended job from its stored state, soon. It does not block.
func (w *Writer) Grown(jid string) {
	if w.Folder == nil {
		return
	}
	w.Folder.Soon(jid, func() {
		ctx, cancel := engine.WriteContext()
		defer cancel()
		load, ok, err := w.Store.GetLoad(ctx, jid)
		if !ok && err == nil {
			return
		}
		xs, errOf := w.Store.GetExpectations(ctx, jid)
		if err = errors.Join(err, errOf); err != nil {
			w.Log.Warn("job load not written to the Salt job cache", "jid", jid, "err", err)
			return
		}
		w.Job(jid, load.Raw, ownMinions(xs))
	})
}

// ownMinions returns the stored direct minions of a job.
func ownMinions(xs []returners.Expectation) (ids []string) {
	for _, x := range xs {
		if x.Node == "" {
			ids = slices.AppendSeq(append(ids, x.Minions...), maps.Keys(x.Missing))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Return writes a return.
func (w *Writer) Return(r *returners.Return) {
	if w.Folder == nil || !w.Returns {
		return
	}
	if err := w.Folder.Return(r.JID, r.ID, r.Full); err != nil {
		w.Log.Warn("return not written to the Salt job cache", "jid", r.JID, "minion", r.ID, "err", err)
	}
}
