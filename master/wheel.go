package master

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
)

// wheel is the clear command of the same name: key handling from afar (Salt wire
// reference §8.1). It runs before it answers.
func (m *Master) wheel(_ context.Context, load wire.Raw) any {
	d, err := wire.DecodeMap(load)
	if err != nil {
		return refusal{"SaltInvocationError", "wheel: " + err.Error()}.reply()
	}
	fun, jid := d.String("fun"), m.jids.Next()
	tag, user := "salt/wheel/"+jid, m.caller(d)
	m.fire(tag+"/new", wire.NewMap("fun", "wheel."+fun, "jid", jid, "tag", tag, "user", user))
	v, err := m.keyCommand(fun, d)
	data := wire.NewMap("fun", "wheel."+fun, "jid", jid, "tag", tag, "user", user, "return", v, "success", err == nil)
	if err != nil {
		data.Set("return", err.Error())
	}
	m.fire(tag+"/ret", data)
	data.Set("_stamp", m.now().UTC().Format("2006-01-02T15:04:05.000000"))
	return wire.NewMap("tag", tag, "data", data)
}

// tellKeys does what salt-key does after it has changed keys: the event
// `salt/key` for each, and a new shared key when one is no longer accepted.
func (m *Master) tellKeys(act string, done []keys.Key) error {
	rotate := false
	for _, k := range done {
		m.fire("salt/key", keys.Event(act, k.ID))
		rotate = rotate || act != "accept"
	}
	if !rotate || !m.cfg.RotateAesKey {
		return nil
	}
	return keys.RequestRotation(m.cfg.Cachedir, m.id)
}

// keyCommand serves the wheel module `key`.
func (m *Master) keyCommand(fun string, d *wire.Map) (any, error) {
	match := d.String("match")
	switch fun {
	case "key.list_all":
		out := wire.NewMap()
		for _, s := range keys.Listed {
			out.Set(s.Folder(), m.keys.List(s))
		}
		local, err := m.keys.LocalKeys("*")
		out.Set(keys.Local.Folder(), local)
		return out, err
	case "key.accept", "key.reject", "key.delete":
		if match == "" {
			return nil, fmt.Errorf("wheel.%s: match is missing", fun)
		}
		sel := m.keys.Match(match, keys.Pending)
		act := m.keys.AcceptIn
		switch fun {
		case "key.reject":
			act = m.keys.RejectIn
		case "key.delete":
			sel, act = m.keys.Match(match, keys.Accepted, keys.Pending, keys.Rejected, keys.Denied), m.keys.DeleteIn
		}
		done, err := act(sel)
		ids := make([]string, 0, len(done))
		for _, k := range done {
			ids = append(ids, k.ID)
		}
		return wire.NewMap("minions", ids), errors.Join(err, m.tellKeys(strings.TrimPrefix(fun, "key."), done))
	}
	return nil, fmt.Errorf("'%s' is not available.", fun) //nolint:staticcheck,revive // Salt's text
}
