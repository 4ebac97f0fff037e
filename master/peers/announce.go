package peers

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/server"
)

func init() {
	commands.Register(server.Command{
		Name: "_presence", Who: server.Proven,
		Args: []string{"session", "role", "version", "running", "back", "was", "heard", "life", "tree", "delta", "revision", "pieces", "piece", "now"},
		Doc: `
A minion or node reports its presence, and a node the tree below it. A mom command.

session
    The session id in its subscription, which identifies the connection.
role, version, running, back
    Its role, its version, the jobs it runs, and whether it was here before.
was
    The masters that it has left within the last hour, by id: they may have returns of it.
heard
    The last publication it received; without it, it fetches none.
life, tree, delta, revision, pieces, piece, now
    Of a node: its process, the tree below it or the changes there, in pieces if large, and
    its clock.
`,
	}, func(s *Service) server.Handler { return s.announced })
}

// announced serves `_presence`, an addition of mom: a minion or node names the session of its
// subscription, and a node reports what is below it. Peers ignore unknown fields of the answer.
func (s *Service) announced(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("presence of %s: %w", r.ID, err)
	}
	a := presence.Announcement{
		ID: r.ID, Session: d.String("session"), Role: d.String("role"), Version: d.String("version"),
		Running: wire.Texts(d.List("running")), Back: d.Bool("back"),
	}
	missed, know := s.o.Publications.Missed(r.ID, d)
	// It receives them next, so it need not be asked whether it runs them.
	a.Running = append(a.Running, missed...)
	if a.Role == presence.Syndic {
		if err := s.o.Policy.Join(r.ID); err != nil {
			return nil, err
		}
	} else {
		s.o.Policy.ActsAsMinion(r.ID)
	}
	switch answer, err := s.reports.Take(a, d); {
	case err != nil:
		return nil, err
	case answer != nil:
		return answer, nil
	}
	connected, err := s.Announce(a)
	if err != nil {
		return nil, err
	}
	s.o.Tree.SetWas(a.ID, wire.Texts(d.List(sibling.AnnouncedVisits)))
	reply := wire.NewMap("session", connected, "node", s.o.Node, "heartbeat", s.o.Config.ZmqHeartbeatIvl.Seconds(), "declined", true)
	s.reports.Greet(a, d, reply)
	if know != nil {
		know.Range(func(key, val any) bool {
			reply.Set(key, val)
			return true
		})
	}
	return reply, nil
}
