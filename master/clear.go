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
	case "publish", "publish_batch", "runner", "wheel": // what a login could be for
		by, err := loginOf(load)
		if err != nil {
			m.answer(req, refusal{"SaltInvocationError", cmd + ": " + err.Error()}.reply())
			return
		}
		if by != noLogin {
			m.answer(req, m.refuseLogin(cmd, by, load))
			return
		}
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

// pong echoes a ping, as Salt does. To a client that asks whether readers of the
// event bus are greeted, which a Python master does not do, it says yes.
func pong(load wire.Raw) []byte {
	d, err := wire.DecodeMap(load)
	if err == nil && d.Has("greets") {
		d.Set("greets", true)
		if b, err := wire.Encode(d); err == nil {
			return b
		}
	}
	return append([]byte(nil), load...)
}
