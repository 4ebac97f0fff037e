package master

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// requestTimeout bounds the work for one request. A client has given up long
// before (request_channel_timeout is 60 s).
const requestTimeout = 120 * time.Second

// clear serves the clear commands of local users (Salt wire reference §8.1).
func (m *Master) clear(req *zmtp.Request, cmd string, load wire.Raw) {
	defer m.rescue(req, cmd)
	ctx, cancel := context.WithTimeout(m.ctx, requestTimeout)
	defer cancel()
	switch cmd {
	case "publish", "publish_batch", "runner", "wheel", "job_page": // what a login could be for
		by, err := loginOf(load)
		if err != nil {
			m.answer(req, refusal{"SaltInvocationError", cmd + ": " + err.Error()}.reply())
			return
		}
		if by != noLogin {
			m.answer(req, m.refuseLogin(cmd, by, load))
			return
		}
		if r, ok := m.entitled(cmd, load); !ok {
			m.answer(req, r.reply())
			return
		}
		done, err := m.weigh(ctx, cmd, load)
		if err != nil {
			m.answer(req, refusal{"SaltInvocationError", cmd + ": " + err.Error()}.reply())
			return
		}
		defer done()
	}
	switch cmd {
	case "ping":
		req.Reply(pong(load))
	case "publish":
		m.answer(req, m.publish(ctx, load))
	case "runner":
		m.answer(req, m.runner(load))
	case "wheel":
		m.answer(req, m.wheel(ctx, load))
	case "job_page":
		m.answer(req, m.jobPage(ctx, load))
	case "mk_token":
		m.refused("command", req.Peer, fmt.Errorf("mk_token: external_auth is not served by this master"))
		m.answer(req, "")
	case "get_token":
		m.answer(req, wire.NewMap())
	default:
		m.refused("command", req.Peer, fmt.Errorf("unknown clear command %q", cmd))
		m.answer(req, wire.NewMap())
	}
}

// entitled tells whether a command comes from somebody who may give any here at all,
// by its key alone: nothing of a stranger's load is decoded.
func (m *Master) entitled(cmd string, load wire.Raw) (refusal, bool) {
	f, err := wire.Pick(load, atDoor, "key")
	key := ""
	if err == nil && len(f[0]) <= maxName {
		key, _ = wire.Str(f[0])
	}
	ok, no := false, authenticationFailed("user")
	if cmd == "runner" || cmd == "wheel" {
		ok = m.authorise(key) == nil
	} else {
		_, ok = m.users.User(key)
		no = errNoAccess
	}
	if !ok {
		user, fun := namesOf(load)
		m.refusedUser(cmd, user, fun)
	}
	return no, ok
}

// maxPing bounds the pings that are echoed; those of Salt have a few bytes.
const maxPing = 4 << 10

// pong echoes a ping, as Salt does. To a client that asks whether readers of the
// event bus are greeted, which a Python master does not do, it says yes.
func pong(load wire.Raw) []byte {
	if len(load) > maxPing {
		b, _ := wire.Encode(badLoad) // a text of a few bytes always packs
		return b
	}
	if d, err := wire.DecodeMap(load); err == nil && d.Has("greets") {
		d.Set("greets", true)
		if b, err := wire.Encode(d); err == nil {
			return b
		}
	}
	return append([]byte(nil), load...)
}
