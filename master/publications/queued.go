package publications

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/retention"
)

// Questions about queues from a master above.
const (
	AskQueued  = "queued"
	AskDequeue = "dequeue"
)

// Asker asks nodes directly below; nil means all.
type Asker interface {
	Ask(ctx context.Context, nodes []string, what string, arg any) (map[string]nodecall.Answer, error)
}

// queuedHere returns this master's own queued jobs.
func (s *Service) queuedHere() *wire.Map {
	out := wire.NewMap()
	for _, w := range s.Queued() {
		minions := wire.NewMap()
		for _, id := range slices.Sorted(maps.Keys(w.Minions)) {
			minions.Set(id, wire.NewMap("path", "", "given", w.Minions[id]))
		}
		for _, node := range slices.Sorted(maps.Keys(w.Nodes)) {
			for _, id := range slices.Sorted(maps.Keys(w.Nodes[node])) {
				minions.Set(id, wire.NewMap("path", w.Nodes[node][id], "given", false))
			}
		}
		if minions.Len() > 0 {
			out.Set(w.JID, wire.NewMap("Until", w.Until.UTC().Format(time.RFC3339), "Minions", minions))
		}
	}
	return out
}

// QueuedTree returns the queued jobs of the tree. The queue of an unreachable node is here if it
// was away when the job was published.
func (s *Service) QueuedTree(ctx context.Context, below Asker) (*wire.Map, error) {
	out := s.queuedHere()
	said, err := below.Ask(ctx, nil, AskQueued, wire.NewMap())
	if err != nil {
		return nil, err
	}
	for _, node := range slices.Sorted(maps.Keys(said)) {
		a := said[node]
		if a.Err != nil {
			continue
		}
		jobs, err := wire.DecodeMap(a.Value)
		if err != nil {
			return nil, fmt.Errorf("queue of node %s: %w", node, err)
		}
		for _, k := range jobs.Keys() {
			jid, _ := k.(string)
			job := jobs.Map(jid)
			if job == nil || job.Map("Minions") == nil {
				continue
			}
			if out.Map(jid) == nil {
				out.Set(jid, wire.NewMap("Until", job.String("Until"), "Minions", wire.NewMap()))
			}
			minions := out.Map(jid).Map("Minions")
			for _, k := range job.Map("Minions").Keys() {
				id, _ := k.(string)
				if min := job.Map("Minions").Map(id); min != nil {
					minions.Set(id, wire.NewMap("path", joinPath(node, min.String("path")), "given", min.Bool("given")))
				}
			}
		}
	}
	return out, nil
}

func joinPath(node, below string) string {
	if below == "" {
		return node
	}
	return node + "/" + below
}

// DequeueTree cancels a queued job here and at all nodes below. unreached maps unreachable nodes to
// errors.
func (s *Service) DequeueTree(ctx context.Context, below Asker, jid string) (minions []string, unreached map[string]string, err error) {
	w, err := s.dequeue(jid)
	known := err == nil
	if err != nil && !errors.Is(err, retention.ErrNotQueued) {
		return nil, nil, err
	}
	minions = slices.Collect(maps.Keys(w.Minions))
	for _, behind := range w.Nodes {
		minions = slices.AppendSeq(minions, maps.Keys(behind))
	}
	said, err := below.Ask(ctx, nil, AskDequeue, wire.NewMap("jid", jid))
	if err != nil {
		return nil, nil, err
	}
	unreached = map[string]string{}
	for node, a := range said {
		if a.Err != nil {
			unreached[node] = a.Err.Error()
			continue
		}
		d, err := wire.DecodeMap(a.Value)
		if err != nil {
			return nil, nil, fmt.Errorf("dequeue at node %s: %w", node, err)
		}
		known = known || d.Bool("known")
		minions = append(minions, wire.Texts(d.List("minions"))...)
		if u := d.Map(fieldUnreached); u != nil {
			for _, k := range u.Keys() {
				path, _ := k.(string)
				unreached[node+"/"+path] = u.String(path)
			}
		}
	}
	slices.Sort(minions)
	minions = slices.Compact(minions)
	if !known && len(unreached) == 0 {
		return nil, nil, fmt.Errorf("job %s: %w", jid, retention.ErrNotQueued)
	}
	return minions, unreached, nil
}

// fieldUnreached is the field of an answer to [AskDequeue] with the nodes that could not be reached.
const fieldUnreached = "untold"

// AnswerQueued answers [AskQueued].
func (s *Service) AnswerQueued(ctx context.Context, below Asker) (any, error) {
	return s.QueuedTree(ctx, below)
}

// AnswerDequeue answers [AskDequeue].
func (s *Service) AnswerDequeue(ctx context.Context, below Asker, arg wire.Raw) (any, error) {
	d, err := wire.DecodeMap(arg)
	if err != nil {
		return nil, fmt.Errorf("dequeue: %w", err)
	}
	minions, unreached, err := s.DequeueTree(ctx, below, d.String("jid"))
	if err != nil && !errors.Is(err, retention.ErrNotQueued) {
		return nil, err
	}
	nodes := wire.NewMap()
	for node, why := range unreached {
		nodes.Set(node, why)
	}
	return wire.NewMap("known", err == nil, "minions", minions, fieldUnreached, nodes), nil
}
