package commands

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"log/slog"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	pillars "github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "_pillar", Who: server.Peer,
		Args: []string{"grains", "saltenv", "pillarenv", "pillar_override", "ext", "clean_cache"},
		Doc: `
Returns the pillar of the sender, encrypted for it and signed. Errors of the compilation are
under _errors. See docs/guide/pillar.md.

grains
    The grains for the compilation; they are stored in the data cache. The id in them is
    replaced by that of the key.
saltenv, pillarenv
    The requested environments.
pillar_override
    A mapping merged over the pillar.
ext
    Requested sources of pillar with arguments; on_demand_ext_pillar lists those allowed.
clean_cache
    True: do not use a cached pillar.
`,
	}, func(p *Parts) server.Handler {
		return pillar{
			keys: p.Keys.Store, compile: p.Pillars.Compile, data: p.Data, keep: p.Config.MinionDataCache, most: p.Config.GrainsMaxSize, trespassed: p.Trespassed, events: p.Config.MinionDataCacheEvents,
			unserved: p.Unserved, private: p.Keys.Identity.Pair.Private, turns: p.Keys.Turns, fire: p.Fire, log: p.Log,
		}.serve
	})
}

type pillar struct {
	keys         *keys.Store
	compile      func(context.Context, pillars.Request) (*wire.Map, error)
	data         *datacache.Cache
	keep, events bool // store the grains; fire an event about it
	most         int  // bytes of a request of which they are kept
	trespassed   func(ownership.Trespass)
	unserved     *Unserved
	private      *rsa.PrivateKey
	turns        admission.Turns
	fire         func(tag string, data *wire.Map)
	log          *slog.Logger
}

// serve compiles the pillar of one minion, encrypts it for that minion and signs it (Salt wire
// reference §8.3). The key of the request identifies the minion, not the load. Grains and pillar go
// into the minion data cache.
func (c pillar) serve(ctx context.Context, r *server.Request) (any, error) {
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
	var out any = false // Salt's answer to a request without grains
	if q, ok := pillars.ReadRequest(r.ID, d); ok {
		p, err := c.compile(ctx, q)
		switch {
		case errors.Is(err, pillars.ErrBusy), err != nil && ctx.Err() != nil:
			return server.Clear{Value: wire.NotNow}, nil
		case err != nil:
			return nil, fmt.Errorf("pillar of %s: %w", r.ID, err)
		}
		c.remember(r, q, p)
		out = c.withUnserved(r, p)
	}
	return c.sealed(r, pub, out)
}

// remember stores the grains and pillar of a minion in the data cache. It skips grains beyond the
// size limit and pillar that the minion overrides.
func (c pillar) remember(r *server.Request, q pillars.Request, p *wire.Map) {
	if !c.keep {
		return
	}
	id := r.ID
	//mutant:minion-grains-size
	if len(r.Load) > c.most {
		c.trespassed(ownership.Trespass{Kind: ownership.OfQuota, Path: id, ID: id, Err: fmt.Errorf(
			"grains and pillar_override have %d bytes, at most %d are kept in the minion data cache (option grains_max_size)", len(r.Load), c.most)})
		return
	}
	//mutant:cve2025-22237-own-grains
	q.Grains.Set("id", id)
	if err := c.data.Put(id, q.Grains, p); err != nil {
		c.log.Error("minion data cache not written", "minion", id, "err", err)
	} else if c.events {
		c.fire("minion/refresh/"+id, wire.NewMap("Minion data cache refresh", id))
	}
}

// withUnserved adds errors about configured features that this master does not serve.
func (c pillar) withUnserved(r *server.Request, p *wire.Map) *wire.Map {
	faults := c.unserved.pillarErrors()
	//mutant:unserved-pillar-is-reported
	if len(faults) == 0 {
		return p
	}
	c.unserved.Note("pillar", r.Cmd, r.ID, "")
	p = p.Clone()
	p.Set("_errors", append(p.List("_errors"), faults...))
	return p
}

// sealed returns the reply: the pillar under a one-off key, which is encrypted for the minion.
func (c pillar) sealed(r *server.Request, pub *rsa.PublicKey, out any) (any, error) {
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

// body returns the plaintext for the one-off key: the bare map for old minions, since protocol 2 a
// signed map that repeats the key and the nonce.
func (c pillar) body(r *server.Request, wrapped []byte, pillar any) ([]byte, error) {
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
