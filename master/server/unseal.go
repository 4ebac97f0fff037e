package server

import (
	"fmt"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Unseal decrypts a request and checks its sender, in the order of Salt wire reference §8.2. The
// answer must be encrypted with the returned key.
func (s *Server) Unseal(env wire.Envelope) (*crypt.Crypticle, *Request, error) {
	key := s.Shared.Current()
	if env.Version >= 3 {
		if !s.Keys.Accepted(env.ID) {
			return nil, nil, fmt.Errorf("id %q has no accepted key", env.ID)
		}
		var err error
		if key, err = s.Sessions.Current(env.ID); err != nil {
			return nil, nil, fmt.Errorf("session key of %s: %w", env.ID, err)
		}
	}
	plain, err := key.OpenInPlace(env.Cipher) // it may be large
	if err != nil {
		return nil, nil, fmt.Errorf("decrypt a request of %q: %w", env.ID, err)
	}
	deep, err := wire.ScanDoor(plain, s.Depth)
	if err != nil {
		return nil, nil, fmt.Errorf("a request of %q: %w", env.ID, err)
	}
	r := &Request{Deep: deep, Version: env.Version, Load: plain, EncAlgo: env.EncAlgo, SigAlgo: env.SigAlgo}
	var tok []byte
	var nonce wire.Raw
	var ts int64
	hasTS := false
	err = wire.Fields(plain, func(field string, val wire.Raw) (err error) {
		switch field {
		case "cmd":
			r.Cmd, err = wire.Str(val)
		case "id":
			r.ID, err = wire.Str(val)
		case "nonce":
			nonce = val
		case "tok":
			tok, err = wire.Bytes(val)
		case "ts":
			hasTS = true
			ts, err = wire.Int(val)
		}
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNotAMap, err)
	}
	if nonce != nil { // the answer contains it and may be signed
		if r.Nonce, err = wire.Nonce(nonce); err != nil {
			return nil, nil, fmt.Errorf("a request of %q: %w", r.ID, err)
		}
	}
	if tok != nil {
		if r.Proven = s.Toks.Valid(r.ID, tok); !r.Proven {
			return nil, nil, fmt.Errorf("a request of %q has a wrong tok", r.ID)
		}
	}
	if env.Version < 3 {
		return key, r, nil
	}
	//mutant:cve2024-38823-age
	if s.TTL > 0 && (!hasTS || s.Now().Unix()-ts > int64(s.TTL.Seconds())) {
		return nil, nil, fmt.Errorf("a request of %s is older than request_server_ttl", env.ID)
	}
	//mutant:cve2013-4439-one-id
	if r.ID != env.ID {
		return nil, nil, fmt.Errorf("request of %s claims to be from %q", env.ID, r.ID)
	}
	if !r.Proven {
		return nil, nil, fmt.Errorf("a request of %s has no valid tok", env.ID)
	}
	return key, r, nil
}
