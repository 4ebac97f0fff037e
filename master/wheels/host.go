package wheels

import (
	"context"
	"time"

	"github.com/momtree/mom/value"
)

// Host runs wheel calls in a master and fires their events.
type Host struct {
	Env  Env
	Fire func(tag string, data *value.Map)
	Now  func() time.Time
}

// Start holds the parameters of a call.
type Start struct {
	JID string
	// User is the caller as shown in events. Eauth is the login service of the user, or "" for a
	// user of the machine.
	User, Eauth string
	Call        Bound
}

// Tag returns the tag of the call's events, without /new and /ret.
func (s Start) Tag() string { return "salt/wheel/" + s.JID }

// Do runs a call and returns the data of its last event, with the error of the call. The event of a
// private function lacks the result.
func (h Host) Do(ctx context.Context, s Start) (*value.Map, error) {
	fun := "wheel." + s.Call.Fun()
	h.Fire(s.Tag()+"/new", value.NewMap("fun", fun, "jid", s.JID, "tag", s.Tag(), "user", s.User, "mom_eauth", s.Eauth))
	v, err := Run(ctx, &Call{Bound: s.Call, Env: h.Env})
	data := value.NewMap("fun", fun, "jid", s.JID, "tag", s.Tag(), "user", s.User, "return", v, "success", err == nil)
	if err != nil {
		data.Set("return", err.Error())
	}
	event := data
	//mutant:private-keys-stay-off-the-bus
	if err == nil && Private(s.Call.Fun()) {
		event = data.Clone()
		event.Set("return", nil)
	}
	h.Fire(s.Tag()+"/ret", event)
	data.Set("_stamp", h.Now().UTC().Format("2006-01-02T15:04:05.000000"))
	return data, err
}
