package peercall

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/publish"
)

// errNoRules refuses a minion without an entry in peer.
var errNoRules = errors.New("no entry of option peer matches this minion")

// job is a job started for a minion.
type job struct {
	jid     string
	minions []string
}

// load returns the answer to minion_pub. If no minion matches, the jid is 0, as in Salt.
func (j job) load() *wire.Map {
	if j.jid == "" {
		return wire.NewMap("jid", 0, "minions", []any{})
	}
	return wire.NewMap("jid", j.jid, "minions", wire.AnyList(j.minions))
}

// start starts a job for a minion of this master: at the master above if it is allowed there, else
// here.
func (s *Service) start(ctx context.Context, id string, r request) (job, error) {
	rules := s.o.Rules.Rules(id)
	if len(rules) == 0 {
		return job{}, errNoRules
	}
	if j, ok := s.above(ctx, id, r); ok {
		return j, nil
	}
	return s.here(ctx, id, r, rules)
}

// here starts a job of this master, with the rules for the minion.
func (s *Service) here(ctx context.Context, id string, r request, rules []any) (job, error) {
	j := job{jid: s.o.JID()}
	p, err := r.load(j.jid)
	if err != nil {
		return job{}, err
	}
	s.started.Add(j.jid, struct{}{})
	heard := s.o.Bus.Subscribe(bus.SubscribeOptions{Prefix: j.jid, Size: 64})
	defer heard.Close()
	given, err := s.o.Publish(ctx, p, id, rules)
	if errors.Is(err, publish.ErrNoMatch) {
		return job{}, nil
	}
	if err != nil {
		return job{}, err
	}
	s.awaitNodes(ctx, j.jid, heard)
	if j.minions = s.expected(j.jid, given.Minions); len(j.minions) == 0 {
		return job{}, nil // no minion below the nodes matches either
	}
	return j, nil
}

// awaitNodes waits until the nodes below have reported the minions of a job.
func (s *Service) awaitNodes(ctx context.Context, jid string, heard *bus.Subscription) {
	ctx, cancel := context.WithTimeout(ctx, nodesWait)
	defer cancel()
	for s.nodesPending(jid) {
		select {
		case _, ok := <-heard.C():
			if !ok {
				return // overflow: the caller finds the other minions in the results
			}
		case <-ctx.Done():
			return
		}
	}
}

// nodesPending reports whether a job is open and a node below has not reported its minions.
func (s *Service) nodesPending(jid string) bool {
	a, _ := s.o.State(jid)
	for _, n := range a.Nodes {
		if n == jobevent.NodeAsked {
			return a.Open()
		}
	}
	return false
}

// expected returns the minions whose results are awaited: those of this master that match, and
// those behind connected nodes.
func (s *Service) expected(jid string, own []string) []string {
	out := slices.Clone(own)
	if a, ok := s.o.State(jid); ok {
		for id := range a.Waiting {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// above asks the master above to start a job for a minion of this one. It reports that none was
// started if the rules there allow the minion nothing, or if it is a stock master.
func (s *Service) above(ctx context.Context, id string, r request) (job, bool) {
	if !s.o.Above.Connected() {
		return job{}, false
	}
	load := wire.NewMap("cmd", startCommand, "for", id)
	for _, f := range requestFields {
		if v, ok := r.raw.Get(f); ok {
			load.Set(f, v)
		}
	}
	v, err := s.o.Above.Call(ctx, load)
	if err != nil {
		s.o.Log.Warn("peer job limited to minions of this node: parent not reachable", "minion", id, "fun", r.funs(), "err", err)
		return job{}, false
	}
	m, _ := v.(*wire.Map)
	if !m.Has("jid") {
		return job{}, false
	}
	return job{jid: m.String("jid"), minions: wire.Texts(m.List("minions"))}, true
}

// requestFields are the fields of a load that define the request.
var requestFields = []string{"fun", "arg", "tgt", "tgt_type", "ret", "tmo", "form", "no_parse"}

// forNode starts a job for a minion below a node. It answers with an empty map if the minion may
// not do that here.
func (s *Service) forNode(ctx context.Context, node string, d *wire.Map) (any, error) {
	id := d.String("for")
	//mutant:peer-nodes-speak-for-theirs
	if !s.o.Owns(node, id) {
		s.refuse(node, "", fmt.Errorf("it asks for a job of minion %q, which is not behind it", id))
		return wire.NewMap(), nil
	}
	rules := s.o.Rules.Rules(id)
	if len(rules) == 0 {
		return wire.NewMap(), nil
	}
	r, err := readRequest(d)
	if err != nil {
		return nil, fmt.Errorf("job of minion %s behind %s: %w", id, node, err)
	}
	if j, ok := s.above(ctx, id, r); ok {
		return j.load(), nil
	}
	j, err := s.here(ctx, id, r, rules)
	if err != nil {
		s.o.Log.Info("peer job not started here, its node may start it", "minion", id, "node", node, "fun", r.funs(), "err", err)
		return wire.NewMap(), nil
	}
	return j.load(), nil
}
