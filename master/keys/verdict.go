package keys

import (
	"crypto/rsa"

	"github.com/momtree/mom/internal/wire"
)

// Outcome is the result of a sign-in.
type Outcome uint8

// The outcomes, with their value of `ret`.
const (
	Refused  Outcome = iota // False
	Full                    // "full": max_minions are connected
	Waiting                 // True: the key is pending
	Admitted                // no ret: the reply carries the keys
)

func (o Outcome) String() string {
	return [...]string{"refused", "full", "pending", "accepted"}[o]
}

// Ret returns the value of `ret` in the reply.
func (o Outcome) Ret() any {
	switch o {
	case Waiting:
		return true
	case Full:
		return "full"
	}
	return false
}

// Turned is why a sign-in was refused, for the log and metrics.
type Turned uint8

// The reasons. A pending key is not refused.
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
	// Act is the `act` of the event: accept, pend, reject, denied, full; empty for a key in
	// minions_rejected, for which Salt 3006 has none.
	Act string
	// Key is the minion's key if it is accepted.
	Key *rsa.PublicKey
	// Reason is why it was not accepted, for the log.
	Reason string
	// Turned classifies Reason.
	Turned Turned
	// Dropped is the id of a pending key removed to make room for this one, or "".
	Dropped string
	// Err is why the decision could not be carried out, such as a full disk; the minion is
	// refused then.
	Err error

	silent bool
	auth   *Auth
	grains bool
}

// Event returns the data of the event `salt/auth`, or nil if none is due. It ignores the option
// auth_events.
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
