package master

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// onPillar serves `_pillar`: the pillar of one minion, under a key that only it
// can open, and signed (Salt wire reference §8.3). There are no pillar sources
// yet, so the map is empty but for the errors that say so where the configuration
// names some; the grains that come along feed the minion data cache.
func (m *Master) onPillar(_ context.Context, r *request) (any, error) {
	d, err := wire.DecodeMap(r.load)
	if err != nil {
		return nil, fmt.Errorf("pillar of %q: %w", r.id, err)
	}
	pub, err := m.keys.PublicKey(r.id)
	if err != nil {
		return clearReply{wire.NewMap("error", "AES key not found")}, nil
	}
	if r.version >= 2 && r.nonce == "" {
		return clearReply{wire.NewMap("error", "Nonce not included in request")}, nil
	}
	pillar := wire.NewMap()
	if grains, ok := d.Get("grains"); ok && grains != nil && m.cfg.MinionDataCache {
		if err := m.data.Put(r.id, grains, pillar); err != nil {
			m.log.Error("The minion data cache could not be written", "id", r.id, "err", err)
		} else if m.cfg.MinionDataCacheEvents {
			m.fire("minion/refresh/"+r.id, wire.NewMap("Minion data cache refresh", r.id))
		}
	}
	if faults := m.pillarErrors(); len(faults) > 0 {
		pillar = wire.NewMap("_errors", faults)
		m.unserved.note("_pillar", r.id, "")
	}
	alg := r.encAlgo
	if alg == "" {
		alg = crypt.OAEPSHA1
	}
	keyText := crypt.NewKeyString()
	once, err := crypt.ParseKey(keyText)
	if err != nil {
		return nil, fmt.Errorf("pillar of %s: %w", r.id, err)
	}
	wrapped, err := crypt.Encrypt(alg, pub, []byte(keyText))
	if err != nil {
		return nil, fmt.Errorf("pillar of %s: %w", r.id, err)
	}
	body, err := m.pillarBody(r, wrapped, pillar)
	if err != nil {
		return nil, fmt.Errorf("pillar of %s: %w", r.id, err)
	}
	cipher, err := once.Seal("", body)
	if err != nil {
		return nil, fmt.Errorf("pillar of %s: %w", r.id, err)
	}
	return clearReply{wire.NewMap("key", wrapped, "pillar", cipher)}, nil
}

// pillarBody is what the one-off key encrypts: the bare map for old minions, a
// signed one that repeats the key and the nonce since protocol 2.
func (m *Master) pillarBody(r *request, wrapped []byte, pillar *wire.Map) ([]byte, error) {
	if r.version < 2 {
		return wire.Encode(pillar)
	}
	data, err := wire.Encode(wire.NewMap("key", wrapped, "pillar", pillar, "nonce", r.nonce))
	if err != nil {
		return nil, err
	}
	alg := r.sigAlgo
	if alg == "" {
		alg = crypt.PKCS1SHA1
	}
	m.rsa.Take()
	defer m.rsa.Give()
	sig, err := crypt.Sign(alg, m.identity.Pair.Private, data)
	if err != nil {
		return nil, err
	}
	return wire.Encode(wire.NewMap("data", data, "sig", sig))
}
