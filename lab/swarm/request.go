package swarm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// errRejected means that the master's answer is not encrypted under our keys, which makes
// salt-minion sign in again (Salt wire reference §4).
var errRejected = errors.New("the master rejected the request")

// send sends a body until there is a reply, at most tries times, each with a connection of its own
// and the given timeout.
func (m *minion) send(ctx context.Context, body []byte, timeout time.Duration, tries int, again func()) ([]byte, error) {
	for try := 1; ; try++ {
		reply, err := m.sendOnce(ctx, body, timeout)
		if err == nil || ctx.Err() != nil {
			return reply, err
		}
		m.swarm.timeouts.Add(1)
		if try >= tries {
			return nil, fmt.Errorf("no answer after %d tries of %v: %w", tries, timeout, err)
		}
		if again != nil {
			again()
		}
	}
}

func (m *minion) sendOnce(ctx context.Context, body []byte, timeout time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return m.dialer.Do(ctx, body)
}

// patience is the time-out and the number of tries of a request.
type patience struct {
	timeout time.Duration
	tries   int
	again   func() // called for each repetition; nil: none
}

// request sends an encrypted load and returns the decrypted answer, with the retries of
// salt-minion: each try that is answered without a ciphertext signs in again and sends
// the load once more.
func (m *minion) request(ctx context.Context, load *wire.Map, p patience) (wire.Raw, error) {
	cmd := load.String("cmd")
	return m.converse(ctx, load, p, func(reply []byte, key *crypt.Crypticle, nonce string) (wire.Raw, error) {
		return openReply(cmd, reply, key, nonce)
	})
}

// opener decrypts a reply to a request with a key and a nonce.
type opener func(reply []byte, key *crypt.Crypticle, nonce string) (wire.Raw, error)

// converse is request with a function to decrypt the reply.
func (m *minion) converse(ctx context.Context, load *wire.Map, p patience, open opener) (wire.Raw, error) {
	var last error
	for try := 1; try <= p.tries; try++ {
		if try > 1 && p.again != nil {
			p.again()
		}
		reply, err := m.transfer(ctx, load, p, open)
		if errors.Is(err, errRejected) {
			if _, err = m.signInAgain(ctx); err == nil {
				if p.again != nil {
					p.again()
				}
				reply, err = m.transfer(ctx, load, p, open)
			}
		}
		if err == nil {
			return reply, nil
		}
		if last = err; ctx.Err() != nil {
			break
		}
	}
	return nil, last
}

// transfer makes one exchange under the current keys.
func (m *minion) transfer(ctx context.Context, load *wire.Map, p patience, open opener) (wire.Raw, error) {
	k := m.keys()
	nonce := wire.NewNonce()
	var body []byte
	var key *crypt.Crypticle
	var err error
	deep(func() { body, key, err = m.seal(k, load, nonce) })
	if err != nil {
		return nil, err
	}
	reply, err := m.sendOnce(ctx, body, p.timeout)
	if err != nil {
		if ctx.Err() == nil {
			m.swarm.timeouts.Add(1)
		}
		return nil, err
	}
	var answer wire.Raw
	deep(func() { answer, err = open(reply, key, nonce) })
	if errors.Is(err, errRejected) {
		m.swarm.rejected.Add(1)
	}
	return answer, err
}

// openReply decrypts the answer to a command.
func openReply(cmd string, reply []byte, key *crypt.Crypticle, nonce string) (wire.Raw, error) {
	if cmd == "_pillar" {
		return openPillar(reply)
	}
	frame, err := wire.Bytes(reply)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRejected, err)
	}
	plain, err := key.OpenNonce(frame, nonce)
	if err != nil {
		return nil, fmt.Errorf("%w: %.60q", errRejected, frame)
	}
	return plain, wire.Scan(plain, wire.Limits{})
}

// openPillar only checks the form of the reply. The pillar is not used, and decrypting it would
// cost this machine, not the minion's, a private-key operation per minion.
func openPillar(reply []byte) (wire.Raw, error) { // at the start; see [minion.openPillar]
	in, err := wire.DecodeMap(reply)
	if err != nil || len(in.Bytes("key")) == 0 || len(in.Bytes("pillar")) == 0 {
		return nil, fmt.Errorf("%w: no pillar in the reply", errRejected)
	}
	return wire.Raw(in.Bytes("pillar")), nil
}

// proven lists the commands sent here whose load holds tok in protocol 2 (Salt wire reference
// §8.2).
func proven(cmd string) bool { return cmd == "_minion_event" || cmd == "_master_tops" }

// seal encrypts a request.
func (m *minion) seal(k credentials, load *wire.Map, nonce string) ([]byte, *crypt.Crypticle, error) {
	v3 := m.swarm.cfg.Protocol >= 3
	load = load.Clone()
	load.Set("nonce", nonce)
	key := k.press.open
	switch {
	case v3:
		load.Set("ts", time.Now().Unix())
		load.Set("tok", m.key.Tok)
		load.Set("id", m.id)
		var err error
		if key, err = crypt.ParseKey(k.session); err != nil {
			return nil, nil, err
		}
	case proven(load.String("cmd")):
		load.Set("tok", m.key.Tok)
	}
	raw, err := wire.Encode(load)
	if err != nil {
		return nil, nil, err
	}
	cipher, err := key.Seal("", raw)
	if err != nil {
		return nil, nil, err
	}
	e := wire.Envelope{Enc: "aes", Cipher: cipher, Version: m.swarm.cfg.Protocol, HasVersion: true}
	if v3 {
		e.ID, e.EncAlgo, e.SigAlgo = m.id, encAlgo, sigAlgo
	}
	body, err := e.Encode()
	return body, key, err
}
