package master

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/rows"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
)

// A return ends in one of three ways: it is stored; nothing can be stored just now and
// it comes again; or it can never be taken. The last is a verdict, and a verdict ends
// the job for that minion: an error is stored in the place of the return, goes up the
// tree as one, and says why. Otherwise the minion, which is connected and has done its
// work, would be waited for without end.

// refuseReturn ends the job of a return that can never be taken. That is its sender's
// own doing, so it needs to be proven who that is; of others the error is given back.
func (m *Master) refuseReturn(ctx context.Context, r *server.Request, ret wire.Return, why error) error {
	proven := r.Version >= 3 || r.Proven
	if err := m.mayReturn(r, ret); err != nil || !proven || !jid.Valid(ret.JID) {
		return why
	}
	if m.policy.Excludes(ret.JID, ret.ID) || m.peers.Probed(ret.JID) {
		return why
	}
	a, err := m.unusable(ret, ret.ID, why)
	if err != nil {
		return err
	}
	return m.keep(ctx, []arrival{a}, nil)
}

// unusable counts and tells a return that can never be taken, and gives the error
// that is stored in its place.
func (m *Master) unusable(ret wire.Return, path string, why error) (arrival, error) {
	m.policy.Trespassed(ownership.Trespass{Kind: ownership.OfUnusable, Path: path, ID: ret.ID, JID: ret.JID, Err: why})
	m.spoiled.note(ret, why, m.now())
	ret, err := rows.InPlace(ret, m.node, why)
	if err != nil {
		return arrival{}, err
	}
	return arrival{ret: rows.Of(ret, m.now()), event: ret.Full}, nil
}

// spoiledFor is how long the tree shows that results of minions were refused.
const spoiledFor = time.Hour

// spoiled remembers returns that were refused, for the tree to show.
type spoiled struct {
	mu    sync.Mutex
	n     int
	last  wire.ReturnOf
	why   string
	since time.Time // of the last
}

func (s *spoiled) note(ret wire.Return, why error, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.since) > spoiledFor {
		s.n = 0
	}
	s.n++
	s.last, s.why, s.since = wire.ReturnOf{JID: ret.JID, ID: ret.ID}, why.Error(), now
}

// problem is what the tree shows of it; false: nothing lately.
func (s *spoiled) problem(now time.Time) (topology.Problem, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"results of minions were refused (%d lately), their jobs have ended with an error; the last is that of %s for job %s: %s",
		s.n, s.last.ID, s.last.JID, cut(s.why))}
	return p, s.n > 0 && now.Sub(s.since) <= spoiledFor
}

// cut keeps an error to what may go up the tree.
func cut(text string) string {
	r := []rune(text)
	return string(r[:min(len(r), maxWhy)])
}
