package commands

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/telemetry"
)

func init() {
	Register(server.Command{
		Name: "_auth", Who: server.Anyone, Args: []string{"id", "pub", "nonce", "token", "enc_algo", "sig_algo", "autosign_grains", "mom_voucher"},
		Costly: &server.Costly{
			MaxBytes: keys.MaxAuth, TooLarge: turnedSignIns[keys.BadRequest],
			Full: admission.Cause{Name: "sign-in/waiting", Text: "sign-ins not answered: too many are waiting", Option: "bounds: sign_ins"},
		},
		Doc: `
Signs a minion or node in: the answer says whether its key is accepted, and has the keys for
the session.

id, pub
    Its id and its public key.
nonce, token
    A value that the answer repeats, and a challenge under the key of the master; they tie
    the answer to the request.
enc_algo, sig_algo
    The algorithms of the answer.
autosign_grains
    Grains by which a new key may be accepted.
mom_voucher
    A mom field: the voucher of another node that has accepted the key.
`,
	}, func(p *Parts) server.Handler {
		return signIn{
			gate: p.Gate, signIns: p.SignIns, turned: p.Server.Turned, events: p.Config.AuthEvents, fire: p.Fire, in: p.SignedIn, now: p.Now,
		}.serve
	})
}

type signIn struct {
	gate    *keys.Gate
	signIns *telemetry.SignIns
	turned  *admission.Report
	events  bool // fire an event
	fire    func(tag string, data *wire.Map)
	in      func(id string)
	now     func() time.Time
}

// serve handles a sign-in. It costs two RSA operations.
func (c signIn) serve(ctx context.Context, r *server.Request) (any, error) {
	a := c.gate.Handle(ctx, r.Load, r.Version, admission.Source(r.Peer.Source()))
	c.signIns.Add(a.Verdict.Outcome)
	c.report(a, r.Peer)
	if a.Event != nil && c.events {
		c.fire("salt/auth", a.Event)
	}
	if a.Verdict.Outcome == keys.Admitted {
		c.in(a.Auth.ID)
	}
	return wire.Raw(a.Body), nil
}

// report logs refused sign-ins, at most once a minute.
func (c signIn) report(a keys.Answer, p *zmtp.Peer) {
	now := c.now()
	if cause, ok := turnedSignIns[a.Verdict.Turned]; ok {
		c.turned.Note(cause, now, a.Auth.ID, "peer", p.Source(), "reason", a.Verdict.Reason)
	}
	if a.Verdict.Dropped != "" {
		c.turned.Note(pendingDropped, now, a.Verdict.Dropped)
	}
}

// turnedSignIns maps the reasons for refused sign-ins to causes in the metrics.
var turnedSignIns = map[keys.Turned]admission.Cause{
	keys.BadRequest: {Name: "sign-in/bad", Text: "sign-ins refused: unreadable request"},
	keys.BadKey:     {Name: "sign-in/key", Text: "sign-ins refused: not an RSA key of 1024 bits or more"},
	keys.OtherKey: {
		Name: "sign-in/other-key", Option: "salt-key -d ID, if the minion was set up anew; otherwise somebody tries to take over the id",
		Text: "sign-ins refused: another key is known for the id",
	},
	keys.Barred:      {Name: "sign-in/rejected", Text: "sign-ins refused: key is rejected", Option: "salt-key -d ID, autoreject_file"},
	keys.TooMany:     {Name: "sign-in/max-minions", Text: "sign-ins refused: too many minions are connected", Option: "max_minions"},
	keys.PendingFull: {Name: "sign-in/pending", Text: "new keys not kept: too many are pending", Option: "salt-key -a, max_pending_keys"},
}

var pendingDropped = admission.Cause{Name: "sign-in/dropped", Text: "pending keys dropped for new ones", Option: "max_pending_keys"}
