package master

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
)

// fire puts an event of this master on the bus.
func (m *Master) fire(tag string, data *wire.Map) {
	if err := m.bus.Fire(tag, data); err != nil {
		m.log.Error("An event could not be fired", "tag", tag, "err", err)
	}
}

func (m *Master) fireRaw(tag string, data wire.Raw, origin string) {
	m.fireEvent(bus.Event{Tag: tag, Data: data, Stamp: m.now(), Origin: origin})
}

func (m *Master) fireEvent(e bus.Event) {
	if err := m.bus.FireEvent(e); err != nil {
		m.log.Error("An event could not be fired", "tag", e.Tag, "err", err)
	}
}

func init() {
	own.Register(server.Command{
		Name: "_minion_event", Who: server.Proven,
		Args: []string{"tag", "data", "events", "pretag", "order"},
		Doc: `
Events for the master's bus: one of a minion, or those that a node passes on.

tag, data
    The one event. A minion may not fire what masters say.
events, pretag
    Several, each with tag and data, and the tag under which they are fired once more.
order
    The place of a node's words about jobs: none is heard before those it was told
    after.
`,
	}, func(m *Master) server.Handler { return m.onMinionEvent })
}

// onMinionEvent serves `_minion_event`: events of minions and, in bulk, of nodes
// below (Salt wire reference §8.2, §9.2).
func (m *Master) onMinionEvent(ctx context.Context, r *server.Request) (any, error) {
	v, again, err := m.server.Nonces.Once(ctx, r.ID, r.Nonce, func() (any, error) { return m.takeEvents(ctx, r) }, server.ErrNotStored)
	if !again {
		return v, err
	}
	m.policy.Trespassed(ownership.Trespass{Kind: ownership.OfReplay, Path: r.ID, Err: errors.New("events that were taken before came again")})
	if err != nil && ctx.Err() != nil { // the first is still at work
		err = fmt.Errorf("%w: %w", server.ErrNotStored, err)
	}
	return v, err
}

// takeEvents passes the events of one request on.
func (m *Master) takeEvents(ctx context.Context, r *server.Request) (any, error) {
	e, err := wire.ParseMinionEvent(r.Load)
	if err != nil {
		return nil, fmt.Errorf("event of %s: %w", r.ID, err)
	}
	if !e.HasEvents {
		if err := m.fieldsOf(r, e.Full); err != nil {
			m.policy.Trespassed(ownership.Trespass{Kind: ownership.OfEvent, Path: r.ID, Err: fmt.Errorf("event %q: %w", e.Tag, err)})
			return nil, nil
		}
		return nil, m.single(r.ID, e)
	}
	if r.Deep {
		e.Events = m.shallow(r.ID, e.Events)
	}
	from, err := m.relayer(r.ID, e)
	if err != nil {
		return nil, err
	}
	leave, err := m.inOrder(from, e)
	if late := (sequence.Late{}); errors.As(err, &late) {
		m.log.Info("Words of a node came late and are passed over", "node", from.id, "err", err)
		return late.Answer(), nil
	}
	if err != nil {
		return nil, err
	}
	if err := m.driver.Room(ctx); err != nil {
		leave()
		return nil, fmt.Errorf("%w: %w", server.ErrNotStored, err)
	}
	upTo, errs := m.relayAll(from, e.Events)
	leave()
	// Whoever told it does not tell it again once it has the acknowledgement.
	if err := m.driver.Booked(ctx, upTo); err != nil {
		return nil, err
	}
	return nil, errors.Join(errs...)
}

// fieldsOf tells which field of a load is too deep, if any is.
func (m *Master) fieldsOf(r *server.Request, load wire.Raw) error {
	if !r.Deep {
		return nil
	}
	return wire.FitFields(load, m.cfg.Bounds.Depth)
}

// shallow leaves out the events that no master above could take, and tells of them:
// refused as a whole they would come again without end.
func (m *Master) shallow(from string, events []wire.TagData) []wire.TagData {
	return slices.DeleteFunc(events, func(x wire.TagData) bool {
		err := wire.FitsEvent(x.Data)
		if err != nil {
			m.policy.Trespassed(ownership.Trespass{Kind: ownership.OfEvent, Path: from, Err: fmt.Errorf("event %q: %w", x.Tag, err)})
		}
		return err != nil
	})
}

// inOrder waits until the words of a node may be heard. Those that it has given up
// are [sequence.Late]: it has told them again, and maybe what came of them.
func (m *Master) inOrder(from relayer, e wire.MinionEvent) (leave func(), err error) {
	if !from.isNode {
		return func() {}, nil
	}
	mark, err := sequence.Read(e.Extra)
	if err != nil {
		return nil, fmt.Errorf("events of %s: %w", from.id, err)
	}
	return m.words.Enter(from.id, mark)
}

// relayAll passes events on, and tells up to which word all has to be stored.
func (m *Master) relayAll(from relayer, events []wire.TagData) (upTo uint64, errs []error) {
	for _, x := range events {
		n, err := m.relay(from, x)
		errs = append(errs, err) // one bad event must not cost the others
		upTo = max(upTo, n)
	}
	return upTo, errs
}

// single fires the one event of a minion; its data is the whole load.
func (m *Master) single(id string, e wire.MinionEvent) error {
	if !e.HasTag || e.Tag == "" {
		return fmt.Errorf("event of %s: neither tag nor events", id)
	}
	if e.Tag == "salt/syndic/"+id+"/start" || e.Tag == "syndic_start" {
		if err := m.policy.Join(id); err != nil {
			return err
		}
	}
	if !m.policy.IsNode(id) {
		m.policy.ActsAsMinion(id)
		m.peers.Unannounced(id)
	}
	if !m.policy.IsNode(id) && !ownership.MayFire(id, e.Tag) {
		m.policy.Trespassed(ownership.Trespass{Kind: ownership.OfEvent, Path: id, Err: fmt.Errorf("a minion may not fire %q", e.Tag)})
		return nil
	}
	m.fireRaw(e.Tag, e.Full, "")
	return nil
}
