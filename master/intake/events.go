package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
)

func init() {
	commands.Register(server.Command{
		Name: "_minion_event", Who: server.Proven,
		Args: []string{"tag", "data", "events", "pretag", "order"},
		Doc: `
Fires events on the master's bus: one of a minion, or those that a node passes on.

tag, data
    One event. A minion may not use the tags of masters.
events, pretag
    Several events, each with tag and data, and the prefix of a second tag for each.
order
    The sequence number of a node's reports. They are processed in order.
`,
	}, func(s *Service) server.Handler { return s.onMinionEvent })
}

// onMinionEvent serves `_minion_event`: events of minions and batches of events of nodes below
// (Salt wire reference §8.2, §9.2).
func (s *Service) onMinionEvent(ctx context.Context, r *server.Request) (any, error) {
	v, again, err := s.o.Server.Nonces.Once(ctx, r.ID, r.Nonce, func() (any, error) { return s.takeEvents(ctx, r) }, server.ErrNotStored)
	if !again {
		return v, err
	}
	//mutant:cve2024-38823-once
	s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfReplay, Path: r.ID, Err: errors.New("events were sent again with the same nonce")})
	if err != nil && ctx.Err() != nil { // the first request is still in progress
		err = fmt.Errorf("%w: %w", server.ErrNotStored, err)
	}
	return v, err
}

// takeEvents processes the events of one request.
func (s *Service) takeEvents(ctx context.Context, r *server.Request) (any, error) {
	e, err := wire.ParseMinionEvent(r.Load)
	if err != nil {
		return nil, fmt.Errorf("event of %s: %w", r.ID, err)
	}
	if !e.HasEvents {
		if err := s.fieldsOf(r, e.Full); err != nil {
			s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfEvent, Path: r.ID, Err: fmt.Errorf("event %q: %w", e.Tag, err)})
			return nil, nil
		}
		return nil, s.fireOne(r.ID, e)
	}
	//mutant:deep-events-are-dropped-alone
	if r.Deep {
		e.Events = s.shallow(r.ID, e.Events)
	}
	from, err := s.relayer(r.ID, e)
	if err != nil {
		return nil, err
	}
	leave, err := s.inOrder(from, e)
	if late := (sequence.Late{}); errors.As(err, &late) {
		s.o.Log.Info("late reports of node ignored", "node", from.id, "err", err)
		return late.Answer(), nil
	}
	if err != nil {
		return nil, err
	}
	if err := s.o.Jobs.WaitRoom(ctx); err != nil {
		leave()
		return nil, fmt.Errorf("%w: %w", server.ErrNotStored, err)
	}
	upTo, errs := s.relayAll(from, e.Events)
	leave()
	// The sender drops the reports once they are acknowledged.
	if err := s.o.Jobs.WaitStored(ctx, upTo); err != nil {
		return nil, err
	}
	return nil, errors.Join(errs...)
}

// fieldsOf returns an error for the first field of a load that nests too deeply.
func (s *Service) fieldsOf(r *server.Request, load wire.Raw) error {
	if !r.Deep {
		return nil
	}
	return wire.FitFields(load, s.o.Depth)
}

// shallow drops and reports the events that nest too deeply for the masters above. If the whole
// request were refused, the node would resend it forever.
func (s *Service) shallow(from string, events []wire.TagData) []wire.TagData {
	return slices.DeleteFunc(events, func(x wire.TagData) bool {
		err := wire.FitsEvent(x.Data)
		if err != nil {
			s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfEvent, Path: from, Err: fmt.Errorf("event %q: %w", x.Tag, err)})
		}
		return err != nil
	})
}

// inOrder blocks until it is the turn of a node's reports. Superseded reports are [sequence.Late]:
// the node has sent them again.
func (s *Service) inOrder(from relayer, e wire.MinionEvent) (leave func(), err error) {
	if !from.isNode {
		return func() {}, nil
	}
	mark, err := sequence.Read(e.Extra)
	if err != nil {
		return nil, fmt.Errorf("events of %s: %w", from.id, err)
	}
	return s.gate.Enter(from.id, mark)
}

// relayAll processes events. upTo is the last record to be stored before they are acknowledged.
func (s *Service) relayAll(from relayer, events []wire.TagData) (upTo uint64, errs []error) {
	for _, x := range events {
		n, err := s.relay(from, x)
		errs = append(errs, err) // one bad event does not stop the others
		upTo = max(upTo, n)
	}
	return upTo, errs
}

// fireOne fires the single event of a minion; its data is the whole load.
func (s *Service) fireOne(id string, e wire.MinionEvent) error {
	if !e.HasTag || e.Tag == "" {
		return fmt.Errorf("event of %s: no tag and no events", id)
	}
	if e.Tag == "salt/syndic/"+id+"/start" || e.Tag == "syndic_start" {
		if err := s.o.Policy.Join(id); err != nil {
			return err
		}
	}
	//mutant:tag-node-alone
	may := s.o.Policy.MayFireAsNode
	if !s.o.Policy.IsNode(id) {
		s.o.Policy.ActsAsMinion(id)
		s.o.Peers.Unannounced(id)
		may = s.o.Policy.MayFire
	}
	//mutant:cve2025-22239-masters-tags
	if err := may(id, e.Tag); err != nil {
		s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfEvent, Path: id, Err: fmt.Errorf("fire %q: %w", e.Tag, err)})
		return nil
	}
	if !s.o.Policy.IsNode(id) && !s.withinEventQuota(id, len(e.Tag)+len(e.Full)) {
		return nil
	}
	if u, err := jobevent.DecodeUnsaved(e.Tag, e.Full); err == nil && u.ID == id {
		s.o.Log.Warn("returner on minion failed", "jid", u.JID, "minion", id, "err", u.Reason)
		s.unsaved.note(Recent{ID: id, JID: u.JID, Why: u.Reason, Since: s.o.Now()})
	}
	return s.o.Bus.FireEvent(bus.Event{Tag: e.Tag, Data: e.Full, Stamp: s.o.Now()})
}
