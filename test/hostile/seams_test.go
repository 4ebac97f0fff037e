package hostile

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/ownership"
	connected "github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
)

// presence has all peers of a tier connected.
type presence struct{ t *tier }

func (p presence) Announced(string) (engine.Liveness, time.Duration) { return engine.Up, 0 }
func (p presence) Minion(string) connected.Standing                  { return connected.Standing{Live: engine.Up} }
func (p presence) HasMinion(id string) bool                          { return p.t.below[id] == nil }
func (p presence) Announces(role, id string) bool {
	return (role == "syndic") == (p.t.below[id] != nil)
}

func (p presence) Node(id string) (engine.Liveness, time.Duration) {
	if p.t.below[id].salts { // it does not announce itself
		return engine.Untracked, 0
	}
	return engine.Up, 0
}

func (p presence) NodeConns(id string) []uint64 {
	if p.t.below[id] == nil {
		return nil
	}
	return []uint64{p.t.conns[id]}
}

// noPeers expects no answers.
type noPeers struct{}

func (noPeers) Minions(ids []string, _ func(id string) bool) (out []engine.Minion) { return nil }
func (noPeers) Awaits(string) bool                                                 { return false }
func (noPeers) LookAgain(engine.Job)                                               {}
func (noPeers) Runs(id, jid string) bool                                           { return false }

// fakeEngine starts each job at once.
type fakeEngine struct{ t *tier }

func (e fakeEngine) Publish(_ context.Context, p engine.Publication) (engine.Save, bool, error) {
	e.t.w.note(func(a *act) { a.judged[e.t.id] = append(a.judged[e.t.id], p.Minions...) })
	e.t.starting = p.Ref
	return engine.Save{}, false, nil
}
func (fakeEngine) Known(context.Context, string) (bool, error)     { return false, nil }
func (fakeEngine) Expected(string) (x engine.Expected, known bool) { return x, false }
func (e fakeEngine) Saved(engine.Save, returners.Result, error) {
	e.t.service.Publish(engine.Publish{Ref: e.t.starting})
}
func (fakeEngine) Published(returners.Part)                  {}
func (fakeEngine) WaitRoom(context.Context) error            { return nil }
func (fakeEngine) WaitStored(context.Context, uint64) error  { return nil }
func (fakeEngine) CountStored(context.Context, string) error { return nil }

// store keeps nothing.
type store struct{ *memory.Store }

func (s store) Local() returners.Reader     { return s.Store }
func (s store) Embedded() jobstore.Embedded { return s.Store }
func (store) Save(context.Context, returners.Batch) (returners.Result, error) {
	return returners.Result{}, nil
}

// port delivers to the peers of a tier what its master seals for them.
type port struct{ t *tier }

func (p port) SendTo(_ string, body []byte, to *zmtp.Choice) error {
	env, err := wire.ParseEnvelope(body)
	if err != nil {
		return err
	}
	frame, err := p.t.keys.Shared.Current().Open(env.Cipher)
	if err != nil {
		return err
	}
	p.t.deliver(frame, func(conn uint64) bool { return to == nil || to.IDs[conn] != to.But })
	return nil
}

func (p port) Selects(to *zmtp.Choice) bool {
	for _, conn := range p.t.conns {
		if to == nil || to.IDs[conn] != to.But {
			return true
		}
	}
	return false
}

func (port) SendPeer(uint64, string, []byte) error { return nil }

// keptJobs keeps no publications.
type keptJobs struct{}

func (keptJobs) KeepPublication(returners.Part, bool)        {}
func (keptJobs) DropPublications(...returners.Part)          {}
func (keptJobs) Redelivered(string, string)                  {}
func (keptJobs) RedeliveredNode(string, string)              {}
func (keptJobs) ExpectsNode(string, string) bool             { return false }
func (keptJobs) RedeliveredStock(string, string)             {}
func (keptJobs) Overdue(string, string, map[string]string)   {}
func (keptJobs) State(string) (a engine.Account, known bool) { return a, false }
func (keptJobs) Expects(string, string) bool                 { return false }
func (keptJobs) NotDelivered(string, string) bool            { return false }

// policy is the product's, but for what nobody reads here.
type policy struct{ *ownership.Policy }

func (policy) Aimed(string, string, target.Expr)   {}
func (policy) Widened(string, string, target.Expr) {}

// noFiles writes nothing.
type noFiles struct{}

func (noFiles) Job(string, wire.Raw, []string) {}
func (noFiles) Grown(string)                   {}

// unsigned signs nothing.
type unsigned struct{}

func (unsigned) SignJob(*wire.Publication, *wire.Map, bool) error { return nil }

// noTraces records nothing.
type noTraces struct{}

func (noTraces) Received(string, time.Time)  {}
func (noTraces) Published(string, time.Time) {}

func (noTraces) Traced(string, tracing.Carrier) {}

// logins takes every user with the right password; the token of a user is its name as hex.
type logins struct{}

const password = "right"

func (logins) Authenticate(_ context.Context, c auth.Credentials) (auth.Identity, error) {
	if c.Password != password {
		return auth.Identity{}, errWrongPassword
	}
	return auth.Identity{Name: c.Username}, nil
}

func (logins) Token(_ context.Context, id string) (auth.Token, error) {
	name, ok := userOfToken(id)
	if !ok {
		return auth.Token{}, errWrongPassword
	}
	return auth.Token{Name: name, Eauth: eauth}, nil
}

func (logins) Expand(_ context.Context, _ string, rules []any) ([]any, error) { return rules, nil }

// noReturns keeps no results of runners.
type noReturns struct{}

func (noReturns) SaveReturns(context.Context, []returners.Return, ...returners.Load) ([]bool, error) {
	return nil, nil
}

var (
	errWrongPassword = errors.New("wrong password or token")
	errBarred        = errors.New("barred")
)
