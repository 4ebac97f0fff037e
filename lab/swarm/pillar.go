package swarm

import (
	"crypto/subtle"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// pillarItems is pillar.items: the pillar as the master gives it now.
func (e *errand) pillarItems() result {
	raw, err := e.askPillar()
	if err != nil {
		return broken(e.order.fun, err)
	}
	return result{value: raw}
}

// askPillar asks for the pillar, opens it, and checks whose it is.
func (e *errand) askPillar() (raw wire.Raw, err error) {
	if e.our != nil {
		ch, _ := e.our.way()
		if ch == nil {
			return nil, errors.New("_pillar: it is not signed in")
		}
		raw, err = ch.Pillar(e.ctx, channel.PillarRequest{Grains: e.grains()})
	} else {
		raw, err = e.converse(e.ctx, e.pillarLoad(), e.swarm.requestPatience(), e.openPillar)
	}
	if err != nil {
		return nil, fmt.Errorf("_pillar: %w", err)
	}
	e.tally.requests++
	e.tally.pillars++
	if err := wire.Scan(raw, wire.Limits{}); err != nil {
		return nil, fmt.Errorf("_pillar: %w", err)
	}
	if f, err := wire.Field(raw, "_errors"); err == nil && f != nil {
		e.tally.faulty++
	}
	if name := e.swarm.cfg.PillarID; name != "" {
		f, err := wire.Field(raw, name)
		if whose, _ := wire.Str(f); err != nil || whose != e.id {
			e.tally.foreign++
		}
	}
	return raw, nil
}

// openPillar opens the reply to _pillar under the key that it brings, and checks it, as
// salt-minion does (Salt wire reference §8.3).
func (m *minion) openPillar(reply []byte, _ *crypt.Crypticle, nonce string) (wire.Raw, error) {
	pair, err := m.key.Pair()
	if err != nil {
		return nil, err
	}
	master := m.swarm.master.Load()
	if master == nil {
		return nil, errors.New("the master's key is not known")
	}
	in, err := wire.DecodeMap(reply)
	if err != nil || len(in.Bytes("key")) == 0 {
		return nil, fmt.Errorf("%w: no pillar came", errRejected)
	}
	text, err := crypt.Decrypt(encAlgo, pair.Private, in.Bytes("key"))
	if err != nil {
		return nil, fmt.Errorf("%w: key: %w", errBadReply, err)
	}
	box, err := crypt.ParseKey(string(text))
	if err != nil {
		return nil, fmt.Errorf("%w: key: %w", errBadReply, err)
	}
	plain, err := box.Open(in.Bytes("pillar"))
	if err != nil {
		return nil, fmt.Errorf("%w: pillar: %w", errBadReply, err)
	}
	signed, err := wire.DecodeMap(plain)
	if err != nil {
		return nil, fmt.Errorf("%w: pillar: %w", errBadReply, err)
	}
	data := signed.Bytes("data")
	if err := crypt.Verify(sigAlgo, master.pub, data, signed.Bytes("sig")); err != nil {
		return nil, fmt.Errorf("%w: the pillar is not signed by the master: %w", errBadReply, err)
	}
	return judgePillar(data, in.Bytes("key"), nonce)
}

// judgePillar holds the signed part against what was asked.
func judgePillar(data, key []byte, nonce string) (pillar wire.Raw, err error) {
	f, err := wire.Pick(data, wire.Limits{}, "key", "nonce", "pillar")
	if err != nil {
		return nil, fmt.Errorf("%w: pillar: %w", errBadReply, err)
	}
	inner, _ := wire.Bytes(f[0])
	echo, _ := wire.Str(f[1])
	switch {
	case subtle.ConstantTimeCompare(inner, key) != 1:
		return nil, fmt.Errorf("%w: the pillar was signed for another key", errBadReply)
	//mutant:swarm-foreign-pillar
	case subtle.ConstantTimeCompare([]byte(echo), []byte(nonce)) != 1:
		return nil, fmt.Errorf("%w: the pillar has another nonce", errBadReply)
	case f[2] == nil:
		return nil, fmt.Errorf("%w: no field pillar", errBadReply)
	}
	return f[2], nil
}
