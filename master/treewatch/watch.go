package treewatch

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// treeEvery is how often this master's figures and problems are read; treeSoon is the least time
// between two looks after changes.
const (
	treeEvery = 5 * time.Second
	treeSoon  = 250 * time.Millisecond
)

// Watch reports changes of a master's tree. Its fields are set before [Watch.Run].
type Watch struct {
	Tree *topology.Tree
	// Vitals reads this master's figures.
	Vitals Vitals
	// Self updates the problems of this master itself; optional.
	Self func()
	// Fire sends an event to the bus.
	Fire func(tag string, data *wire.Map)
	// Heard compares gossip with the tree.
	Heard *Gossip
	Log   *slog.Logger
	Now   func() time.Time
}

func (w *Watch) fireNode(tag, id, path string, more ...any) {
	w.Fire(tag, Event(w.Now(), id, path, more...))
}

// Run updates this master's figures and reports changes of the nodes below, until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	every := time.NewTicker(treeEvery)
	defer every.Stop()
	changed, stop := w.Tree.Watch()
	defer stop()
	was, started := newChanges(), w.Now()
	pause := time.NewTimer(treeSoon)
	defer pause.Stop()
	self := w.Self
	if self == nil {
		self = func() {}
	}
	self()
	for {
		w.Tree.SetVitals(w.Vitals.Read(ctx, started))
		w.Heard.Compare()
		n := w.Tree.Skeleton()
		for _, moved := range was.moves(n) {
			w.Log.Info("node moved", "node", moved.id, "from", moved.from, "to", moved.to)
			w.fireNode(NodeRehomed, moved.id, moved.to, "from", moved.from, "to", moved.to)
		}
		for _, p := range was.fresh(topology.NodeProblems(n), len(w.Tree.Path()) == 1) {
			path := below(p.Path)
			w.Log.Warn("tree problem", "kind", p.Kind, "node", p.Path, "detail", p.Detail)
			w.fireNode(NodeDegraded, lastOf(p.Path), path, "kind", string(p.Kind), "detail", p.Detail)
		}
		select { // collects changes that follow each other closely
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			self()
		case <-changed:
		}
		pause.Reset(treeSoon)
	}
}
