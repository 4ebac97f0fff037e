package channel

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// PillarRequest has the fields of a `_pillar` request other than id.
type PillarRequest struct {
	Grains          any
	Saltenv         any // nil or string
	Pillarenv       any // nil or string
	Override        *wire.Map
	ExtraMinionData *wire.Map
	Ext             any // omitted when nil
	CleanCache      bool
}

// Pillar requests the pillar and returns its map in wire encoding. Errors of pillar files are
// in the map under "_errors" (Salt wire reference §8.3).
func (c *Channel) Pillar(ctx context.Context, req PillarRequest) (wire.Raw, error) {
	load := wire.NewMap(
		"id", c.cfg.ID, "grains", req.Grains,
		"saltenv", req.Saltenv, "pillarenv", req.Pillarenv,
		"pillar_override", orEmpty(req.Override), "extra_minion_data", orEmpty(req.ExtraMinionData),
		"ver", "2", "cmd", "_pillar")
	if req.Ext != nil {
		load.Set("ext", req.Ext)
	}
	if req.CleanCache {
		load.Set("clean_cache", true)
	}
	var pillar wire.Raw
	err := c.converse(ctx, load, c.patience(), false, func(k *credentials, body []byte, nonce string) error {
		var err error
		pillar, err = c.openPillar(k, body, nonce)
		return err
	})
	return pillar, err
}

func orEmpty(m *wire.Map) *wire.Map {
	if m == nil {
		return wire.NewMap()
	}
	return m
}

// openPillar decrypts a reply of `_pillar`, which has a form of its own: a one-off key
// encrypted for our RSA key, and under it the pillar signed by the master.
func (c *Channel) openPillar(k *credentials, body []byte, nonce string) (wire.Raw, error) {
	if frame, err := wire.Bytes(body); err == nil {
		if _, err := k.requests().Open(frame); err == nil {
			return nil, fmt.Errorf("%w: the master cannot read our key as it is stored there", ErrBadReply)
		}
		return nil, &refusal{quote(string(frame))}
	}
	outer, err := wire.DecodeMap(body)
	if err != nil {
		return nil, &refusal{describe(body)}
	}
	key := outer.Bytes("key")
	if len(key) == 0 {
		return nil, &refusal{describe(body)}
	}
	once, err := crypt.Decrypt(c.cfg.EncryptionAlgorithm, c.pair.Private, key)
	if err != nil {
		return nil, fmt.Errorf("%w: key: %w", ErrBadReply, err)
	}
	box, err := crypt.ParseKey(string(once))
	if err != nil {
		return nil, fmt.Errorf("%w: key: %w", ErrBadReply, err)
	}
	plain, err := box.Open(outer.Bytes("pillar"))
	if err != nil {
		return nil, fmt.Errorf("%w: pillar: %w", ErrBadReply, err)
	}
	return c.checkPillar(k, plain, key, nonce)
}

// checkPillar verifies the signed part of a pillar reply.
func (c *Channel) checkPillar(k *credentials, plain, key []byte, nonce string) (wire.Raw, error) {
	signed, err := wire.DecodeMap(plain)
	if err != nil {
		return nil, fmt.Errorf("%w: pillar: %w", ErrBadReply, err)
	}
	data := signed.Bytes("data")
	if err := crypt.Verify(c.cfg.SigningAlgorithm, k.masterKey, data, signed.Bytes("sig")); err != nil {
		return nil, fmt.Errorf("%w of the pillar: %w", ErrBadSignature, err)
	}
	var pillar wire.Raw
	var innerKey []byte
	var innerNonce string
	err = wire.Fields(data, func(field string, val wire.Raw) (err error) {
		switch field {
		case "key":
			innerKey, err = wire.Bytes(val)
		case "nonce":
			innerNonce, err = wire.Str(val)
		case "pillar":
			pillar = val
		}
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: pillar: %w", ErrBadReply, err)
	case subtle.ConstantTimeCompare(innerKey, key) != 1:
		return nil, fmt.Errorf("%w: the pillar was signed for another key", ErrBadReply)
	case subtle.ConstantTimeCompare([]byte(innerNonce), []byte(nonce)) != 1:
		return nil, ErrBadNonce
	case pillar == nil:
		return nil, fmt.Errorf("%w: %w", ErrBadReply, errors.New("no field pillar"))
	}
	return pillar, nil
}
