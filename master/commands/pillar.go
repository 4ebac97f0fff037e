package commands

import (
	"context"
	"crypto/rsa"
	"fmt"
	"log/slog"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "_pillar", Who: server.Peer,
		Args: []string{"grains"},
		Doc: `
The pillar of a minion, under a key that only it can open, and signed.

grains
    Its grains, which feed the data cache.
`,
	}, func(p *Parts) server.Handler {
		return pillar{
			keys: p.Keys.Store, data: p.Data, keep: p.Config.MinionDataCache, tell: p.Config.MinionDataCacheEvents,
			unserved: p.Unserved, private: p.Keys.Identity.Pair.Private, turns: p.Keys.Turns, fire: p.Fire, log: p.Log,
		}.serve
	})
}

type pillar struct {
	keys       *keys.Store
	data       *datacache.Cache
	keep, tell bool // the grains; that they were kept
	unserved   *Unserved
	private    *rsa.PrivateKey
	turns      admission.Turns
	fire       func(tag string, data *wire.Map)
	log        *slog.Logger
}

// serve makes the pillar of one minion, under a key that only it
// can open, and signed (Salt wire reference §8.3). There are no pillar sources
// yet, so the map is empty but for the errors that say so where the configuration
// names some; the grains that come along feed the minion data cache.
func (c pillar) serve(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("pillar of %q: %w", r.ID, err)
	}
	pub, err := c.keys.PublicKey(r.ID)
	if err != nil {
		return server.Clear{Value: wire.NewMap("error", "AES key not found")}, nil
	}
	if r.Version >= 2 && r.Nonce == "" {
		return server.Clear{Value: wire.NewMap("error", "Nonce not included in request")}, nil
	}
	out := wire.NewMap()
	if grains, ok := d.Get("grains"); ok && grains != nil && c.keep {
		if err := c.data.Put(r.ID, grains, out); err != nil {
			c.log.Error("The minion data cache could not be written", "id", r.ID, "err", err)
		} else if c.tell {
			c.fire("minion/refresh/"+r.ID, wire.NewMap("Minion data cache refresh", r.ID))
		}
	}
	if faults := c.unserved.pillarErrors(); len(faults) > 0 {
		out = wire.NewMap("_errors", faults)
		c.unserved.Note("pillar", r.Cmd, r.ID, "")
	}
	alg := r.EncAlgo
	if alg == "" {
		alg = crypt.OAEPSHA1
	}
	keyText := crypt.NewKeyString()
	once, err := crypt.ParseKey(keyText)
	if err != nil {
		return nil, fmt.Errorf("pillar of %s: %w", r.ID, err)
	}
	wrapped, err := crypt.Encrypt(alg, pub, []byte(keyText))
	if err != nil {
		return nil, fmt.Errorf("pillar of %s: %w", r.ID, err)
	}
	signed, err := c.body(r, wrapped, out)
	if err != nil {
		return nil, fmt.Errorf("pillar of %s: %w", r.ID, err)
	}
	cipher, err := once.Seal("", signed)
	if err != nil {
		return nil, fmt.Errorf("pillar of %s: %w", r.ID, err)
	}
	return server.Clear{Value: wire.NewMap("key", wrapped, "pillar", cipher)}, nil
}

// body is what the one-off key encrypts: the bare map for old minions, a
// signed one that repeats the key and the nonce since protocol 2.
func (c pillar) body(r *server.Request, wrapped []byte, pillar *wire.Map) ([]byte, error) {
	if r.Version < 2 {
		return wire.Encode(pillar)
	}
	data, err := wire.Encode(wire.NewMap("key", wrapped, "pillar", pillar, "nonce", r.Nonce))
	if err != nil {
		return nil, err
	}
	alg := r.SigAlgo
	if alg == "" {
		alg = crypt.PKCS1SHA1
	}
	c.turns.Take()
	defer c.turns.Give()
	sig, err := crypt.Sign(alg, c.private, data)
	if err != nil {
		return nil, err
	}
	return wire.Encode(wire.NewMap("data", data, "sig", sig))
}
