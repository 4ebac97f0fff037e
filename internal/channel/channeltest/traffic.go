package channeltest

import (
	"crypto/rsa"
	"crypto/sha1"
	"encoding/hex"
	"testing"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// patience bounds the waits of a test.
const patience = 20 * time.Second

func seal(m *wire.Map, field, alg string, pub *rsa.PublicKey, plain []byte) error {
	b, err := crypt.Encrypt(alg, pub, plain)
	if err != nil {
		return err
	}
	m.Set(field, b)
	return nil
}

func (m *Master) note(load *wire.Map) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, load)
	m.wakeLocked()
}

func (m *Master) wakeLocked() {
	close(m.changed)
	m.changed = make(chan struct{})
}

func (m *Master) subscribed(p *zmtp.Peer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.peers[p] = true
	if id := p.Identity(); id != "" {
		m.idents = append(m.idents, id)
	}
	m.wakeLocked()
}

func (m *Master) unsubscribed(p *zmtp.Peer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.peers, p)
	m.wakeLocked()
}

// Seen returns the loads of one command so far, in order.
func (m *Master) Seen(cmd string) []*wire.Map {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seenLocked(cmd)
}

func (m *Master) seenLocked(cmd string) []*wire.Map {
	var out []*wire.Map
	for _, l := range m.seen {
		if l.String("cmd") == cmd {
			out = append(out, l)
		}
	}
	return out
}

// Await waits until n loads of one command have arrived.
func (m *Master) Await(tb testing.TB, cmd string, n int) []*wire.Map {
	tb.Helper()
	var out []*wire.Map
	m.until(tb, func() bool {
		out = m.seenLocked(cmd)
		return len(out) >= n
	}, "waiting for %d %s", n, cmd)
	return out
}

// AwaitSubscribers waits until n identities have subscribed since the start and returns the
// content of their READY.
func (m *Master) AwaitSubscribers(tb testing.TB, n int) []string {
	tb.Helper()
	var out []string
	m.until(tb, func() bool {
		out = append([]string(nil), m.idents...)
		return len(out) >= n
	}, "waiting for %d subscriptions", n)
	return out
}

// AwaitReturn waits for the return of one job by one minion.
func (m *Master) AwaitReturn(tb testing.TB, jid string) *wire.Map {
	tb.Helper()
	var found *wire.Map
	m.until(tb, func() bool {
		for _, l := range m.seenLocked("_return") {
			if l.String("jid") == jid {
				found = l
			}
		}
		return found != nil
	}, "waiting for the return of %s", jid)
	return found
}

func (m *Master) until(tb testing.TB, done func() bool, format string, args ...any) {
	tb.Helper()
	deadline := time.After(patience)
	for {
		m.mu.Lock()
		ok, changed := done(), m.changed
		m.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			tb.Fatalf(format, args...)
		}
	}
}

// Publish encrypts load under the shared key and sends it. With filtering its topic is that of
// the target, which must be a minion id. Publish waits for a subscription: a peer may have
// signed in and announced itself over the other connection before its subscription has been
// read.
func (m *Master) Publish(load *wire.Map) {
	m.tb.Helper()
	m.until(m.tb, func() bool { return len(m.peers) > 0 }, "nobody subscribes to what is to be published")
	topic := ""
	m.mu.Lock()
	if m.rules.Filtering {
		sum := sha1.Sum([]byte(load.String("tgt")))
		topic = hex.EncodeToString(sum[:])
	}
	m.mu.Unlock()
	m.PublishRaw(topic, m.Seal(load))
}

// Seal returns the body of a publication, with the next serial.
func (m *Master) Seal(load *wire.Map) []byte {
	m.tb.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.serial++
	load = load.Clone()
	if !m.rules.NoSerial {
		load.Set("serial", m.serial)
	}
	raw, err := wire.Encode(load)
	if err != nil {
		m.tb.Fatal(err)
	}
	cipher, err := m.shared.Seal("", raw)
	if err != nil {
		m.tb.Fatal(err)
	}
	env := wire.Envelope{Enc: "aes", Cipher: cipher}
	if m.rules.SignPublications {
		env.SigAlgo = crypt.PKCS1SHA1
		if env.Sig, err = crypt.Sign(env.SigAlgo, m.Key.Private, cipher); err != nil {
			m.tb.Fatal(err)
		}
	}
	body, err := env.Encode()
	if err != nil {
		m.tb.Fatal(err)
	}
	return body
}

// PublishRaw sends any bytes to the subscribers.
func (m *Master) PublishRaw(topic string, body []byte) {
	m.tb.Helper()
	m.mu.Lock()
	pub := m.pub
	m.mu.Unlock()
	if err := pub.Send(topic, body); err != nil {
		m.tb.Fatal(err)
	}
}

// Job returns a publication load as a master makes it.
func Job(jid, tgt, fun string, args ...any) *wire.Map {
	if args == nil {
		args = []any{}
	}
	return wire.NewMap("fun", fun, "arg", args, "tgt", tgt, "jid", jid, "ret", "", "tgt_type", "glob", "user", "root")
}
