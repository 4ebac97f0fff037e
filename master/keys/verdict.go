package keys

import (
	"crypto/rsa"

	"github.com/momtree/mom/internal/wire"
)

// Outcome is what a sign-in comes to.
type Outcome uint8

// The outcomes and the value of `ret` they are told with.
const (
	Refused  Outcome = iota // False
	Full                    // "full": max_minions are connected
	Waiting                 // True: the key is pending
	Admitted                // no ret: the reply carries the keys
)

func (o Outcome) String() string {
	return [...]string{"refused", "full", "pending", "accepted"}[o]
}

// Ret is the value of `ret` in the reply.
func (o Outcome) Ret() any {
	switch o {
	case Waiting:
		return true
	case Full:
		return "full"
	}
	return false
}

// Turned is why a sign-in was turned away, for whoever tells the operator.
type Turned uint8

// The reasons. What is merely pending is not turned away.
const (
	NotTurned   Turned = iota
	BadRequest         // the load cannot be read, or has no usable id
	BadKey             // its key is no RSA key of a sensible size
	OtherKey           // another key than the one known
	Barred             // minions_rejected or autoreject_file
	TooMany            // max_minions
	PendingFull        // max_pending_keys: the key is not kept
)

// Verdict is the decision about one sign-in.
type Verdict struct {
	Outcome Outcome
	// Act is the `act` of the event: accept, pend, reject, denied, full; empty
	// for a key that stands in minions_rejected, of which Salt 3006 names none.
	Act string
	// Key is the minion's key when it is admitted.
	Key *rsa.PublicKey
	// Reason says for the log and the operator why it was not admitted.
	Reason string
	// Turned is the kind of that reason.
	Turned Turned
	// Dropped is a pending key that made room for this one; "": none.
	Dropped string
	// Err is what kept the decision from being carried out, such as a full
	// disk; the minion is refused then.
	Err error

	silent bool
	auth   *Auth
	grains bool
}

// Event gives the data of the event `salt/auth`, or nil when none is due. It
// does not look at the option auth_events.
func (v Verdict) Event() *wire.Map {
	if v.silent || v.auth == nil {
		return nil
	}
	m := wire.NewMap("result", v.Outcome == Admitted || v.Outcome == Waiting)
	if v.Act != "" {
		m.Set("act", v.Act)
	}
	m.Set("id", v.auth.ID)
	m.Set("pub", v.auth.Pub)
	if v.grains && v.auth.Grains != nil {
		m.Set("autosign_grains", v.auth.Grains)
	}
	return m
}
