package master

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/door"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/returners"
)

// Plain replies of the request server (Salt wire reference §4). A Python minion that
// gets a short text where it awaits ciphertext signs in again and resends.
const (
	badLoad       = "bad load"
	notAMap       = "payload and load must be a dict"
	handlerRaised = "Some exception handling minion payload"
)

// request is one authenticated encrypted request.
type request struct {
	cmd     string
	id      string // authenticated sender (version 3), claimed sender before
	nonce   string
	version int
	load    wire.Raw
	encAlgo string
	sigAlgo string
	tokOK   bool // tok was there and opened to "salt" with the key of id
	deep    bool // some field of load may nest deeper than the bound depth
	peer    *zmtp.Peer
}

// receive is the door of port 4506. It runs on the connection's reader.
func (m *Master) receive(req *zmtp.Request) {
	select {
	case <-m.ready:
	case <-m.ctx.Done():
		req.Drop()
		return
	}
	env, err := wire.ParseEnvelope(req.Body)
	if err != nil {
		m.refused("envelope", req.Peer, err)
		m.answer(req, badLoad)
		return
	}
	if env.Version < m.cfg.MinimumAuthVersion {
		m.refuseVersion(req, env)
		return
	}
	if env.Enc == "aes" {
		m.wg.Go(func() { m.encrypted(req, env) })
		return
	}
	cmd, err := commandOf(env.Load)
	if err != nil {
		m.answer(req, notAMap)
		return
	}
	if cmd == "_auth" {
		if len(env.Load) > keys.MaxAuth { // judged before it waits for its turn
			m.turned.Note(turnedSignIns[keys.BadRequest], m.now(), "", "from", req.Peer.Source(), "reason", fmt.Sprintf("load of %d bytes", len(env.Load)))
			m.answer(req, badLoad)
			return
		}
		m.signIns.Submit(func() { m.signIn(req, env) }, func() {
			if !req.Peer.Gone() {
				m.turned.Note(signInsFull, m.now(), "", "from", req.Peer.Source())
			}
			req.Drop()
		}, req.Peer.Gone)
		return
	}
	m.wg.Go(func() { m.clear(req, cmd, env.Load) })
}

// commandOf reads the field cmd of a clear load.
func commandOf(load wire.Raw) (cmd string, err error) {
	f, err := wire.Pick(load, atDoor, "cmd")
	if err == nil && len(f[0]) <= maxName {
		cmd, _ = wire.Str(f[0])
	}
	return cmd, err
}

// atDoor is what a load is looked through with: depth costs nothing then, and what is
// too deep is refused by name.
var atDoor = wire.Limits{MaxDepth: wire.DoorDepth}

// maxName bounds the texts of a stranger that are looked at: names of commands,
// functions and users. Longer ones are taken for none.
const maxName = 512

// maxValues bounds the values of a request that is decoded as a whole, each element,
// key and container counting: half a million are some fifty megabytes. Returns stay as
// they came, so they may have more.
const maxValues = 1 << 19

// wholeLoads are the commands of which all that is large stays undecoded.
var wholeLoads = map[string]bool{"_return": true, "_syndic_return": true}

// weigh counts the values of a load and waits until there is room to work on them.
func (m *Master) weigh(ctx context.Context, cmd string, load wire.Raw) (done func(), err error) {
	lim := atDoor
	if !wholeLoads[cmd] {
		lim.MaxNodes = maxValues
	}
	n, err := wire.Size(load, lim)
	if err != nil {
		return nil, err
	}
	return m.work.Begin(ctx, n)
}

// answer sends a value in clear.
func (m *Master) answer(req *zmtp.Request, v any) {
	b, err := wire.Encode(v)
	if err != nil {
		m.log.Error("A reply could not be encoded", "err", err)
		b, _ = wire.Encode(handlerRaised)
	}
	req.Reply(b)
}

// rescue is deferred by whoever serves a request: what goes wrong with one
// costs no other.
func (m *Master) rescue(req *zmtp.Request, what string) {
	if p := recover(); p != nil {
		m.stats.Panics.Add(1)
		m.log.Error("A request handler panicked", "request", what, "panic", p, "stack", string(debug.Stack()))
		m.answer(req, handlerRaised)
	}
}

// encrypted opens, checks and serves a request of a minion or syndic.
func (m *Master) encrypted(req *zmtp.Request, env wire.Envelope) {
	defer m.rescue(req, env.Enc)
	key, r, err := m.unseal(env)
	if err != nil {
		m.refused("request", req.Peer, err)
		if errors.Is(err, errNotAMap) {
			m.answer(req, notAMap)
			return
		}
		m.answer(req, badLoad)
		return
	}
	req.Peer.Trust()
	m.trusted.Note(req.Peer.Source())
	r.peer = req.Peer
	if r.cmd == "" {
		m.refused("command", req.Peer, fmt.Errorf("a request of %q has no cmd", r.id))
		m.answer(req, handlerRaised)
		return
	}
	h, ok := m.commands[r.cmd]
	if !ok {
		h = unknownCommand
	}
	ctx, cancel := context.WithTimeout(m.ctx, requestTimeout)
	defer cancel()
	done, err := m.weigh(ctx, r.cmd, r.load)
	switch {
	case errors.Is(err, door.ErrBusy), err != nil && ctx.Err() != nil:
		m.answer(req, wire.NotNow)
		return
	case err != nil:
		m.log.Warn("A request was refused", "cmd", r.cmd, "id", r.id, "err", err)
		if r.cmd == "_return" && errors.Is(m.refuseReturn(ctx, r, outline(r), err), errNotStored) {
			m.answer(req, wire.NotNow)
			return
		}
		m.seal(req, key, r, "")
		return
	}
	defer done()
	v, err := h(ctx, r)
	if clear, ok := v.(clearReply); ok && err == nil {
		m.answer(req, clear.value)
		return
	}
	if errors.Is(err, errNotStored) {
		// Silence would cost the sender its time-out; a plain text makes it
		// send again, and what it sent stays in its queue until it is stored.
		level := slog.LevelError
		if errors.Is(err, jobstore.ErrOutboxFull) { // the store has said so, once
			level = slog.LevelDebug
		}
		m.log.Log(ctx, level, "What was sent could not be stored and was not acknowledged", "cmd", r.cmd, "id", r.id, "err", err)
		m.answer(req, refusalOf(err))
		return
	}
	if err != nil {
		level := slog.LevelWarn
		if errors.Is(err, errBarred) { // told, as often as is good
			level = slog.LevelDebug
		}
		m.log.Log(ctx, level, "A request failed", "cmd", r.cmd, "id", r.id, "err", err)
		v = ""
	}
	m.seal(req, key, r, v)
}

// refusalOf is the plain reply to what could not be stored: whether nothing can be
// stored now, or this very thing may be at fault.
func refusalOf(err error) string {
	for _, passing := range []error{
		jobstore.ErrOutboxFull, returners.ErrFull, returners.ErrUnavailable, returners.ErrCorrupt, returners.ErrClosed,
		context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, passing) {
			return wire.NotNow
		}
	}
	return handlerRaised
}

// seal answers with the key the request came under, the nonce in front.
func (m *Master) seal(req *zmtp.Request, key *crypt.Crypticle, r *request, v any) {
	b, err := wire.Encode(v)
	if err != nil {
		m.log.Error("A reply could not be encoded", "cmd", r.cmd, "err", err)
		b, _ = wire.Encode("")
	}
	nonce := r.nonce
	if r.version < 2 {
		nonce = ""
	}
	frame, err := key.Seal(nonce, b)
	if err != nil {
		m.log.Error("A reply could not be encrypted", "cmd", r.cmd, "err", err)
		m.answer(req, handlerRaised)
		return
	}
	body, err := wire.Encode(frame)
	if err != nil {
		m.answer(req, handlerRaised)
		return
	}
	req.Reply(body)
}

// clearReply is a handler's value that travels unencrypted (`_pillar`).
type clearReply struct{ value any }

var (
	errNotAMap   = errors.New("the load is not a map")
	errNotStored = errors.New("not stored") // nothing can be taken now, whatever it is
)

// unseal decrypts an encrypted request and checks its sender (Salt wire reference
// §8.2, in the order given there).
func (m *Master) unseal(env wire.Envelope) (*crypt.Crypticle, *request, error) {
	key := m.shared.Current()
	if env.Version >= 3 {
		if !m.keys.Accepted(env.ID) {
			return nil, nil, fmt.Errorf("id %q has no accepted key", env.ID)
		}
		var err error
		if key, err = m.sessions.Current(env.ID); err != nil {
			return nil, nil, fmt.Errorf("session key of %s: %w", env.ID, err)
		}
	}
	plain, err := key.OpenInPlace(env.Cipher) // there may be much of it
	if err != nil {
		return nil, nil, fmt.Errorf("decrypt a request of %q: %w", env.ID, err)
	}
	deep, err := wire.ScanDoor(plain, m.cfg.Bounds.Depth)
	if err != nil {
		return nil, nil, fmt.Errorf("a request of %q: %w", env.ID, err)
	}
	r := &request{deep: deep, version: env.Version, load: plain, encAlgo: env.EncAlgo, sigAlgo: env.SigAlgo}
	var tok []byte
	var ts int64
	hasTS := false
	err = wire.Fields(plain, func(field string, val wire.Raw) (err error) {
		switch field {
		case "cmd":
			r.cmd, err = wire.Str(val)
		case "id":
			r.id, err = wire.Str(val)
		case "nonce":
			r.nonce, err = wire.Str(val)
		case "tok":
			tok, err = wire.Bytes(val)
		case "ts":
			hasTS = true
			ts, err = wire.Int(val)
		}
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNotAMap, err)
	}
	if tok != nil {
		if r.tokOK = m.toks.Valid(r.id, tok); !r.tokOK {
			return nil, nil, fmt.Errorf("a request of %q has a wrong tok", r.id)
		}
	}
	if env.Version < 3 {
		return key, r, nil
	}
	if ttl := m.cfg.RequestServerTtl; ttl > 0 && (!hasTS || m.now().Unix()-ts > int64(ttl.Seconds())) {
		return nil, nil, fmt.Errorf("a request of %s is older than request_server_ttl", env.ID)
	}
	if r.id != env.ID {
		return nil, nil, fmt.Errorf("a request of %s claims to be of %q", env.ID, r.id)
	}
	if !r.tokOK {
		return nil, nil, fmt.Errorf("a request of %s has no valid tok", env.ID)
	}
	return key, r, nil
}
