package master

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/ordering"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/master/owners"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/treewatch"
	"github.com/momtree/mom/returners"
)

// fire puts an event of this master on the bus.
func (m *Master) fire(tag string, data *wire.Map) {
	if err := m.bus.Fire(tag, data); err != nil {
		m.log.Error("An event could not be fired", "tag", tag, "err", err)
	}
}

func (m *Master) fireRaw(tag string, data wire.Raw, origin string) {
	err := m.bus.FireEvent(bus.Event{Tag: tag, Data: data, Stamp: m.now(), Origin: origin})
	if err != nil {
		m.log.Error("An event could not be fired", "tag", tag, "err", err)
	}
}

// onMinionEvent serves `_minion_event`: events of minions and, in bulk, of nodes
// below (Salt wire reference §8.2, §9.2).
func (m *Master) onMinionEvent(ctx context.Context, r *request) (any, error) {
	if !r.tokOK { // version 3 was checked before; version 2 proves itself here
		return wire.NewMap(), nil
	}
	v, again, err := m.nonces.Once(ctx, r.id, r.nonce, func() (any, error) { return m.takeEvents(ctx, r) }, errNotStored)
	if !again {
		return v, err
	}
	m.trespassed(owners.Trespass{Kind: owners.OfReplay, Path: r.id, Err: errors.New("events that were taken before came again")})
	if err != nil && ctx.Err() != nil { // the first is still at work
		err = fmt.Errorf("%w: %w", errNotStored, err)
	}
	return v, err
}

// takeEvents passes the events of one request on.
func (m *Master) takeEvents(ctx context.Context, r *request) (any, error) {
	e, err := wire.ParseMinionEvent(r.load)
	if err != nil {
		return nil, fmt.Errorf("event of %s: %w", r.id, err)
	}
	if !e.HasEvents {
		if err := m.fieldsOf(r, e.Full); err != nil {
			m.trespassed(owners.Trespass{Kind: owners.OfEvent, Path: r.id, Err: fmt.Errorf("event %q: %w", e.Tag, err)})
			return nil, nil
		}
		return nil, m.single(r.id, e)
	}
	if r.deep {
		e.Events = m.shallow(r.id, e.Events)
	}
	from, err := m.relayer(r.id, e)
	if err != nil {
		return nil, err
	}
	leave, err := m.inOrder(from, e)
	if late := (ordering.Late{}); errors.As(err, &late) {
		m.log.Info("Words of a node came late and are passed over", "node", from.id, "err", err)
		return late.Answer(), nil
	}
	if err != nil {
		return nil, err
	}
	if err := m.books.Room(ctx); err != nil {
		leave()
		return nil, fmt.Errorf("%w: %w", errNotStored, err)
	}
	jobs := toldJobs(from, e.Events)
	defer m.lateJobs.hold(jobs...)()
	errs := m.relayAll(from, e.Events)
	leave()
	if err := m.keepWord(ctx, jobs); err != nil {
		return nil, err
	}
	return nil, errors.Join(errs...)
}

// fieldsOf tells which field of a load is too deep, if any is.
func (m *Master) fieldsOf(r *request, load wire.Raw) error {
	if !r.deep {
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
			m.trespassed(owners.Trespass{Kind: owners.OfEvent, Path: from, Err: fmt.Errorf("event %q: %w", x.Tag, err)})
		}
		return err != nil
	})
}

// inOrder waits until the words of a node may be heard. Those that it has given up
// are [ordering.Late]: it has told them again, and maybe what came of them.
func (m *Master) inOrder(from relayer, e wire.MinionEvent) (leave func(), err error) {
	if !from.isNode {
		return func() {}, nil
	}
	mark, err := ordering.Read(e.Extra)
	if err != nil {
		return nil, fmt.Errorf("events of %s: %w", from.id, err)
	}
	return m.words.Enter(from.id, mark)
}

// relayAll passes events on.
func (m *Master) relayAll(from relayer, events []wire.TagData) (errs []error) {
	for _, x := range events {
		errs = append(errs, m.relay(from, x)) // one bad event must not cost the others
	}
	return errs
}

// toldJobs gives the jobs of which the events of a node tell who has to answer.
func toldJobs(from relayer, events []wire.TagData) (jobs []string) {
	for _, x := range events {
		if id, ok := tellsOf(x.Tag); ok && from.isNode {
			jobs = append(jobs, id)
		}
	}
	slices.Sort(jobs)
	return slices.Compact(jobs)
}

// tellsOf gives the job of which an event tells who has to answer or who will not.
func tellsOf(tag string) (id string, ok bool) {
	if jid.Valid(tag) {
		return tag, true
	}
	rest, ok := strings.CutPrefix(tag, "salt/job/")
	id, what, _ := strings.Cut(rest, "/")
	return id, ok && (what == "missing" || what == "new") && jid.Valid(id)
}

// keepWord waits until what was just told of jobs is stored: whoever told it does
// not tell it again once it has the acknowledgement. Word of a job that is closed
// here is owed to the masters above again.
func (m *Master) keepWord(ctx context.Context, jobs []string) error {
	if len(jobs) == 0 {
		return nil
	}
	for _, id := range jobs {
		if m.ledger.Closed(id) {
			m.bookLate(id)
		}
	}
	return m.booked(ctx)
}

// single fires the one event of a minion; its data is the whole load.
func (m *Master) single(id string, e wire.MinionEvent) error {
	if !e.HasTag || e.Tag == "" {
		return fmt.Errorf("event of %s: neither tag nor events", id)
	}
	if e.Tag == "salt/syndic/"+id+"/start" || e.Tag == "syndic_start" {
		if err := m.noteNode(id); err != nil {
			return err
		}
	}
	if !m.nodes.Has(id) {
		m.actsAsMinion(id)
		m.talksUnannounced(id)
	}
	if !m.nodes.Has(id) && !owners.MayFire(id, e.Tag) {
		m.trespassed(owners.Trespass{Kind: owners.OfEvent, Path: id, Err: fmt.Errorf("a minion may not fire %q", e.Tag)})
		return nil
	}
	m.fireRaw(e.Tag, e.Full, "")
	return nil
}

// fromBelow lets the ledger hear what a node says about a job, and gives the
// event's data as seen from this master: paths begin with the node.
func (m *Master) fromBelow(node, tag string, data wire.Raw) wire.Raw {
	if data, ok := m.fromBeyond(node, tag, data); ok {
		return data
	}
	if jid.Valid(tag) {
		if m.presence.Role(node) != presence.Syndic && speaksOurs(data) {
			return data // it comes once more under the name of the node that says it
		}
		return m.expectationBelow(node, tag, data)
	}
	if strings.HasPrefix(tag, "topology/") {
		return treewatch.FromBelow(node, data)
	}
	rest, ok := strings.CutPrefix(tag, "salt/job/")
	if !ok {
		return data
	}
	id, what, _ := strings.Cut(rest, "/")
	switch what {
	case "missing":
		return m.missingBelow(node, id, data)
	case "new":
		// A node of ours has told its expectation before; from a Python syndic
		// this may be the first word.
		if m.presence.Role(node) != presence.Syndic {
			m.expectationBelow(node, id, data)
		}
	}
	return data
}

// expectationBelow enters who a node found for a job.
func (m *Master) expectationBelow(node, jid string, data wire.Raw) wire.Raw {
	d, err := wire.DecodeMap(data)
	if err != nil {
		m.refused("expectation", nil, fmt.Errorf("node %s, job %s: %w", node, jid, err))
		return data
	}
	x := ledger.Expectation{Path: node, Minions: wire.Texts(d.List("minions"))}
	missing := map[string]string{}
	x.Minions = m.ownedBy(node, jid, x.Minions)
	ours := d.Map("mom")
	if ours == nil {
		x.Plain = true
		x.Minions = m.beyond.Without(x.Minions, node)
		ours = wire.NewMap("plain", true)
		d.Set("jid", jid)
	} else {
		x.Asked = wire.Texts(ours.List("asked"))
		x.Untracked, x.Moved, x.Partial = ours.Bool("untracked"), ours.Bool("moved"), ours.Bool("partial")
		ours.Delete("untracked") // from here on this master looks after them
		if below := ours.String("node"); below != "" {
			x.Path += "/" + below
		}
		if u := ours.Map("unreachable"); u != nil {
			for _, k := range u.Keys() {
				if id, ok := k.(string); ok && m.owned(node, jid, id) {
					missing[id] = u.String(id)
				}
			}
		}
	}
	d.Set("minions", x.Minions)
	ours.Set("node", x.Path)
	d.Set("mom", ours)
	m.books.Note(returners.Expectation{JID: jid, Node: x.Path, Minions: x.Minions, Missing: missing, State: string(spokenState(x)), At: m.now()})
	m.ledger.Expect(jid, x)
	m.queueAnswered(jid, x.Path)
	if len(missing) > 0 {
		gone := make(map[string]ledger.Missing, len(missing))
		for id, why := range missing {
			gone[id] = ledger.Missing{Reason: why, Path: x.Path}
		}
		m.ledger.Gone(jid, gone, nil)
	}
	return m.reencode(d, data)
}

func spokenState(x ledger.Expectation) ledger.NodeState {
	switch {
	case x.Moved || x.Partial: // that of its own minions may come still
		return ""
	case x.Plain:
		return ledger.NodePlain
	}
	return ledger.NodeAnswered
}

// missingBelow enters who below a node will not answer.
func (m *Master) missingBelow(node, jid string, data wire.Raw) wire.Raw {
	d, err := wire.DecodeMap(data)
	if err != nil {
		m.refused("missing", nil, fmt.Errorf("node %s, job %s: %w", node, jid, err))
		return data
	}
	gone, nodes, err := readMissing(d, node)
	if err != nil {
		m.refused("missing", nil, fmt.Errorf("node %s, job %s: %w", node, jid, err))
		return data
	}
	maps.DeleteFunc(gone, func(id string, _ ledger.Missing) bool { return !m.owned(node, jid, id) })
	m.bookMissing(jid, gone, nil) // also if the ledger goes by the word of another node
	m.ledger.Gone(jid, gone, nodes)
	m.goneLate(jid, gone, nodes)
	out := missingData(jid, gone, nodes)
	out.Set("from", node)
	return m.reencode(out, data)
}

func (m *Master) reencode(d *wire.Map, was wire.Raw) wire.Raw {
	b, err := wire.Encode(d)
	if err != nil {
		m.log.Error("An event could not be encoded again", "err", err)
		return was
	}
	return b
}
