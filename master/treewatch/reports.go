package treewatch

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/topology"
)

// Reports handles the reports of child nodes about the tree below them.
type Reports struct {
	// Node is the id of this master.
	Node string
	Tree *topology.Tree
	// Claims records which minions are behind which node.
	Claims interface {
		Report(n topology.Node)
		Change(n topology.Node, d topology.Delta)
	}
	// State returns the state of a node in the tree.
	State func(id string) topology.State
	// Pruned says that nodes do not get publications that match none of their minions.
	Pruned bool
	Log    *slog.Logger
	Now    func() time.Time
}

// Take handles the report of an announcing node. If answer is not nil, the announcement ends with
// it: more pieces follow, or the node is rejected.
func (r *Reports) Take(a presence.Announcement, d *wire.Map) (answer *wire.Map, err error) {
	if a.Role != presence.Syndic {
		return nil, nil
	}
	if answer, err = r.takePiece(a, d); answer == nil && err == nil {
		err = r.takeTree(a, d)
	}
	if errors.Is(err, topology.ErrLoop) {
		return r.refuseLoop(a, err), nil
	}
	return answer, err
}

// takeTree handles a whole report, or a difference from the last one.
func (r *Reports) takeTree(a presence.Announcement, d *wire.Map) error {
	life := d.String("life")
	switch whole, part := d.Map("tree"), d.Map("delta"); {
	case whole != nil:
		n, err := topology.FromMap(whole)
		if err != nil {
			return fmt.Errorf("tree of node %s: %w", a.ID, err)
		}
		at, _ := d.Get("revision")
		revision, _ := at.(int64)
		if err := r.takeWhole(a, n, life, uint64(max(revision, 0))); err != nil {
			return err
		}
	case part != nil:
		delta, err := topology.DeltaFrom(part)
		if err != nil {
			return fmt.Errorf("tree of node %s: %w", a.ID, err)
		}
		if err := r.applyDelta(a.ID, life, delta); err != nil {
			return fmt.Errorf("tree of node %s: %w", a.ID, err)
		}
	}
	if now, ok := d.Get("now"); ok {
		if ns, ok := now.(int64); ok {
			r.Tree.SetSkew(a.ID, time.Unix(0, ns).Sub(r.Now()).Round(10*time.Millisecond))
		}
	}
	return nil
}

// takeWhole replaces what is known of a node and everything below it.
func (r *Reports) takeWhole(a presence.Announcement, n topology.Node, life string, revision uint64) error {
	n.ID, n.Role, n.Version, n.State, n.Life = a.ID, presence.Syndic, a.Version, r.State(a.ID), life
	if err := r.Tree.Report(n, revision); err != nil {
		return fmt.Errorf("tree of node %s: %w", a.ID, err)
	}
	r.Claims.Report(n)
	return nil
}

// applyDelta applies a difference to the tree and the claims. One that does not fit is dropped: the
// answer makes the node report the whole.
func (r *Reports) applyDelta(id, life string, d topology.Delta) error {
	err := r.Tree.Apply(id, life, d)
	if errors.Is(err, topology.ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	n, _ := r.Tree.Node(id)
	r.Claims.Change(n, d)
	return nil
}

// Greet adds to the answer for an announcing node the revision of its tree that is known here, and
// the nodes above it. If publications are pruned, gaps in their numbers are not a loss.
func (r *Reports) Greet(a presence.Announcement, d, reply *wire.Map) {
	if a.Role != presence.Syndic {
		return
	}
	if r.Pruned {
		reply.Set("filtered", true)
	}
	life := d.String("life")
	if life == "" {
		return
	}
	r.Tree.SetProblem(loopBelow(a.ID), a.ID, false)
	reply.Set("tree", int64(r.Tree.Have(a.ID, life)))
	reply.Set("above", topology.AncestorsWire(r.Tree.Path()))
	reply.Set("pieces", true)
}

// refuseLoop returns the answer for a node that has this master below it. Such a node is rejected.
func (r *Reports) refuseLoop(a presence.Announcement, err error) *wire.Map {
	r.Log.Error("node refused", "node", a.ID, "err", err)
	r.Tree.SetProblem(loopBelow(a.ID), a.ID, true)
	return wire.NewMap("session", false, "node", r.Node, "loop", true)
}

func loopBelow(id string) topology.Problem {
	return topology.Problem{
		Kind: topology.Loop, Path: id,
		Detail: fmt.Sprintf("node %s has this master below it and is rejected; remove one of the two from syndic_master of the other", id),
	}
}
