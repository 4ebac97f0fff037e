package channeltest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// badLoad is the plain text reply to a request that cannot be decrypted.
const badLoad = "bad load"

// serve answers one request.
func (m *Master) serve(r *zmtp.Request) {
	cmd, value := m.dispatch(r.Body)
	reply, err := wire.Encode(value)
	if err != nil {
		reply = nil
	}
	m.mu.Lock()
	change := m.rules.Answer
	m.mu.Unlock()
	if change != nil {
		reply = change(cmd, reply)
	}
	if reply == nil {
		r.Drop()
		return
	}
	r.Reply(reply)
}

func (m *Master) dispatch(body []byte) (cmd string, reply any) {
	env, err := wire.ParseEnvelope(body)
	if err != nil {
		return "", badLoad
	}
	if env.Enc == "clear" {
		load, err := wire.DecodeMap(env.Load)
		if err != nil {
			return "", badLoad
		}
		m.note(load)
		switch load.String("cmd") {
		case "_auth":
			reply, err := m.auth(env, load)
			if err != nil {
				return "_auth", err.Error()
			}
			return "_auth", reply
		case "ping":
			return "ping", load
		}
		return load.String("cmd"), wire.NewMap()
	}
	return m.encrypted(env)
}

// auth answers a sign-in (Salt wire reference §6.2).
func (m *Master) auth(env wire.Envelope, load *wire.Map) (any, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := load.String("id")
	encAlgo, sigAlgo := load.String("enc_algo"), load.String("sig_algo")
	sign := func(reply *wire.Map) (any, error) {
		raw, err := wire.Encode(reply)
		if err != nil {
			return nil, err
		}
		sig, err := crypt.Sign(sigAlgo, m.Key.Private, raw)
		if err != nil {
			return nil, err
		}
		return wire.NewMap("enc", "clear", "load", raw, "sig", sig), nil
	}
	if m.rules.Auth != nil {
		if ret := m.rules.Auth(load); ret != nil {
			if text, ok := ret.(string); ok && (text == "bad enc algo" || text == "bad sig algo") {
				return wire.NewMap("enc", "clear", "load", wire.NewMap("ret", text)), nil
			}
			return sign(wire.NewMap("ret", ret, "nonce", load.String("nonce")))
		}
	}
	pub, err := crypt.ParsePublicPEM(load.String("pub"))
	if err != nil {
		return nil, err
	}
	m.minions[id] = pub
	_, port := m.split(m.publish)
	reply := wire.NewMap("enc", "pub", "pub_key", m.Key.PublicPEM, "publish_port", port)
	if s := m.rules.Sign; s != nil {
		sig, err := crypt.Sign(crypt.PKCS1SHA1, s.Private, []byte(m.Key.PublicPEM))
		if err != nil {
			return nil, err
		}
		reply.Set("pub_sig", base64.StdEncoding.EncodeToString(sig)+"\n")
	}
	if token := load.Bytes("token"); len(token) > 0 {
		if plain, err := crypt.Decrypt(encAlgo, m.Key.Private, token); err == nil {
			if err := seal(reply, "token", encAlgo, pub, plain); err != nil {
				return nil, err
			}
		}
	}
	if err := seal(reply, "aes", encAlgo, pub, []byte(m.shared.Key())); err != nil {
		return nil, err
	}
	if m.rules.Version >= 3 {
		if m.sessions[id] == nil {
			if m.sessions[id], err = crypt.ParseKey(crypt.NewKeyString()); err != nil {
				return nil, err
			}
		}
		if err := seal(reply, "session", encAlgo, pub, []byte(m.sessions[id].Key())); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256([]byte(m.shared.Key()))
	digest, err := crypt.X931Sign(m.Key.Private, []byte(hex.EncodeToString(sum[:])))
	if err != nil {
		return nil, err
	}
	reply.Set("sig", digest)
	reply.Set("nonce", load.String("nonce"))
	if m.rules.Grant != nil {
		m.rules.Grant(reply)
	}
	return sign(reply)
}

// encrypted decrypts a request, checks it like a master, and answers it.
func (m *Master) encrypted(env wire.Envelope) (cmd string, reply any) {
	m.mu.Lock()
	box := m.shared
	if env.Version >= 3 {
		box = m.sessions[env.ID]
	}
	newest, handlers := m.rules.Version, m.rules.Handle
	m.mu.Unlock()
	if box == nil || env.Version > newest {
		return "", badLoad
	}
	plain, err := box.Open(env.Cipher)
	if err != nil {
		return "", badLoad
	}
	load, err := wire.DecodeMap(plain)
	if err != nil {
		return "", badLoad
	}
	id, nonce := load.String("id"), load.String("nonce")
	m.mu.Lock()
	pub := m.minions[id]
	m.mu.Unlock()
	if env.Version >= 3 {
		if tok, err := crypt.X931Open(pub, load.Bytes("tok")); err != nil || string(tok) != "salt" || env.ID != id {
			return load.String("cmd"), badLoad
		}
	}
	m.note(load)
	cmd = load.String("cmd")
	if cmd == "_pillar" {
		value, err := m.pillar(env, id, nonce)
		if err != nil {
			return cmd, fmt.Sprint(err)
		}
		return cmd, value
	}
	var value any
	if h := handlers[cmd]; h != nil {
		value = h(id, load)
	} else if cmd == "_presence" {
		value = wire.NewMap()
	}
	raw, err := wire.Encode(value)
	if err != nil {
		return cmd, err.Error()
	}
	frame, err := box.Seal(nonce, raw)
	if err != nil {
		return cmd, err.Error()
	}
	return cmd, frame
}

// pillar answers `_pillar` (Salt wire reference §8.3).
func (m *Master) pillar(env wire.Envelope, id, nonce string) (*wire.Map, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	once, err := crypt.ParseKey(crypt.NewKeyString())
	if err != nil {
		return nil, err
	}
	pillar := m.rules.Pillar
	if pillar == nil {
		pillar = wire.NewMap()
	}
	reply := wire.NewMap()
	if err := seal(reply, "key", env.EncAlgo, m.minions[id], []byte(once.Key())); err != nil {
		return nil, err
	}
	data, err := wire.Encode(wire.NewMap("key", reply.Bytes("key"), "pillar", pillar, "nonce", nonce))
	if err != nil {
		return nil, err
	}
	sig, err := crypt.Sign(env.SigAlgo, m.Key.Private, data)
	if err != nil {
		return nil, err
	}
	signed, err := wire.Encode(wire.NewMap("data", data, "sig", sig))
	if err != nil {
		return nil, err
	}
	box, err := once.Seal("", signed)
	if err != nil {
		return nil, err
	}
	reply.Set("pillar", box)
	return reply, nil
}
