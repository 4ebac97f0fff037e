package wheels

import (
	"context"
	"time"

	"github.com/momtree/mom/value"
)

// Host makes calls in a master, and tells the bus of them.
type Host struct {
	Env  Env
	Fire func(tag string, data *value.Map)
	Now  func() time.Time
}

// Start is how a call is made.
type Start struct {
	JID string
	// User is whom events name, Eauth the login service that knows the user; "" for a user
	// of the machine.
	User, Eauth string
	Call        Bound
}

// Tag is the one of its events, without /new and /ret.
func (s Start) Tag() string { return "salt/wheel/" + s.JID }

// Do makes a call and gives what is said of it, with its error. Of a private function the
// bus is not told what it gave.
func (h Host) Do(ctx context.Context, s Start) (*value.Map, error) {
	fun := "wheel." + s.Call.Fun()
	h.Fire(s.Tag()+"/new", value.NewMap("fun", fun, "jid", s.JID, "tag", s.Tag(), "user", s.User, "mom_eauth", s.Eauth))
	v, err := Run(ctx, &Call{Bound: s.Call, Env: h.Env})
	data := value.NewMap("fun", fun, "jid", s.JID, "tag", s.Tag(), "user", s.User, "return", v, "success", err == nil)
	if err != nil {
		data.Set("return", err.Error())
	}
	told := data
	//mutant:private-keys-stay-off-the-bus
	if err == nil && Private(s.Call.Fun()) {
		told = data.Clone()
		told.Set("return", nil)
	}
	h.Fire(s.Tag()+"/ret", told)
	data.Set("_stamp", h.Now().UTC().Format("2006-01-02T15:04:05.000000"))
	return data, err
}
