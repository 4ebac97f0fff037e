package hostile

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/jobs"
	"github.com/momtree/mom/master/jobs/ledger"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/returners"
)

// presence has all peers of a tier connected.
type presence struct{ t *tier }

func (p presence) Live(string) ledger.Liveness { return ledger.Up }
func (p presence) Role(id string) string {
	if p.t.below[id] != nil {
		return "syndic"
	}
	return "minion"
}
func (presence) Node(string) (ledger.Liveness, time.Duration) { return ledger.Up, 0 }
func (p presence) NodeConns(id string) []uint64 {
	if p.t.below[id] == nil {
		return nil
	}
	return []uint64{p.t.conns[id]}
}
func (presence) Beside(string) bool { return false }

// noPeers expects no answers.
type noPeers struct{}

func (noPeers) Minions(ids []string, _ func(id string) bool) (out []ledger.Minion) { return nil }
func (noPeers) Awaits(string) bool                                                 { return false }
func (noPeers) LookAgain(ledger.Job)                                               {}

// engine starts each job at once.
type engine struct{ t *tier }

func (e engine) Publish(_ context.Context, p jobs.Publication) (jobs.Save, bool, error) {
	if a := e.t.w.now; a != nil {
		a.judged[e.t.id] = append(a.judged[e.t.id], p.Minions...)
	}
	e.t.starting = p.Spec.JID
	return jobs.Save{}, false, nil
}
func (engine) Known(context.Context, string) (bool, error) { return false, nil }
func (e engine) Saved(jobs.Save, returners.Result, error) {
	e.t.service.PublishNow(jobs.Publish{JID: e.t.starting})
}
func (engine) Published(string)                          {}
func (engine) CountStored(context.Context, string) error { return nil }

// store keeps nothing.
type store struct{ returners.Reader }

func (s store) Local() returners.Reader { return s }
func (store) Save(context.Context, returners.Batch) (returners.Result, error) {
	return returners.Result{}, nil
}
func (store) GetLoad(context.Context, string) (returners.Load, bool, error) {
	return returners.Load{}, false, nil
}

// publisher delivers to the peers of a tier.
type publisher struct{ t *tier }

func (publisher) QueueUntil(wire.PublishLoad, *wire.Map) (time.Time, error) { return time.Time{}, nil }
func (publisher) Retain(wire.Publication, []string, time.Time) ([]byte, error) {
	return nil, nil
}
func (publisher) Published(string) bool { return true }
func (publisher) Drop(string)           {}
func (p publisher) Send(pub wire.Publication, _ []string, to *zmtp.Choice) error {
	b, err := pub.Encode()
	if err != nil {
		return err
	}
	p.t.deliver(b, func(conn uint64) bool { return to == nil || to.IDs[conn] != to.But })
	return nil
}

// policy is the product's, but for what nobody reads here.
type policy struct{ *ownership.Policy }

func (policy) Aimed(string, string, target.Expr) {}

// noTraces records nothing.
type noTraces struct{}

func (noTraces) Received(string, time.Time)  {}
func (noTraces) Published(string, time.Time) {}

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
