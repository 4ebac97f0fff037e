package keys

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Gate answers `_auth` requests: it decodes the load, decides, and builds the reply.
type Gate struct {
	Identity *Identity
	Decider  *Decider
	Sessions *Sessions

	// AES returns the current shared key.
	AES         func() string
	PublishPort int
	Log         *slog.Logger
}

// Answer is the outcome of one request.
type Answer struct {
	Body    []byte    // the reply, packed
	Event   *wire.Map // data for `salt/auth`, nil when none is due
	Auth    Auth
	Verdict Verdict
}

// Handle answers one load from a source ([admission.Source]). There is always a reply: without one
// the peer would wait. The caller has checked that the version is not too old.
func (g *Gate) Handle(ctx context.Context, load wire.Raw, version int, from netip.Prefix) Answer {
	log := g.Log
	if log == nil {
		log = slog.Default()
	}
	a, err := ParseAuth(load, version)
	a.From = from
	if err != nil {
		log.Info("sign-in load refused", "id", a.ID, "err", err)
		return Answer{Body: plain(err), Auth: a, Verdict: Verdict{Turned: BadRequest, Reason: err.Error()}}
	}
	v := g.Decider.Decide(ctx, a)
	out := Answer{Auth: a, Verdict: v, Event: v.Event()}
	if v.Outcome == Admitted {
		out.Body, err = g.admit(a, v)
		if !crypt.ValidEncryption(a.EncAlgo) {
			out.Event = nil // the minion is none the wiser: not a sign-in
		}
	} else {
		out.Body, err = g.Identity.Refuse(a, v.Outcome)
	}
	if err != nil {
		log.Error("sign-in not answered", "id", a.ID, "err", err)
		out.Body, out.Event = plain(err), nil
	}
	return out
}

func (g *Gate) admit(a Auth, v Verdict) ([]byte, error) {
	session, err := g.Sessions.Key(a.ID)
	if err != nil {
		return nil, err
	}
	return g.Identity.Admit(a, v.Key, Secrets{AES: g.AES(), Session: session, PublishPort: g.PublishPort})
}

// plain returns the reply for a request that cannot be answered otherwise.
func plain(err error) []byte {
	text := PlainFault
	if bad := (*BadLoad)(nil); errors.As(err, &bad) {
		text = bad.Reply
	}
	b, err := wire.Encode(text)
	if err != nil { // a text of a few bytes always packs
		panic("keys: pack plain reply: " + err.Error())
	}
	return b
}
