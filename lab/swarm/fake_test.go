package swarm

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// fake is a master like Python's on the wire: it accepts every sign-in, answers unknown commands
// with an empty map, and can refuse or drop requests.
type fake struct {
	t        *testing.T
	pair     *crypt.KeyPair
	protocol int
	router   *zmtp.Router
	pub      *zmtp.Pub

	mu      sync.Mutex
	shared  *crypt.Crypticle
	session map[string]*crypt.Crypticle
	pubs    map[string]string // id → public key
	cmds    map[string]int    // requests by command
	returns map[string]int    // by jid and id
	refuse  int               // number of returns to answer with a plain text
	lose    int               // number of returns to leave unanswered
	serial  int64
	shelf   *shelf // files; nil: none
	spoil   string // how to damage pillars
}

// newFake listens on free ports of 127.0.0.1.
func newFake(t *testing.T, protocol int) *fake {
	pair, err := crypt.NewKeyPair(1024) // only the minions' side matters
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{
		t: t, pair: pair, protocol: protocol, session: map[string]*crypt.Crypticle{}, pubs: map[string]string{},
		cmds: map[string]int{}, returns: map[string]int{},
	}
	f.rotate()
	if f.pub, err = zmtp.ListenPub("127.0.0.1:0", zmtp.PubConfig{}); err != nil {
		t.Fatal(err)
	}
	if f.router, err = zmtp.ListenRouter("127.0.0.1:0", zmtp.RouterConfig{}, f.answer); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = f.router.Close()
		_ = f.pub.Close()
	})
	return f
}

func port(a net.Addr) int { return int(netip.MustParseAddrPort(a.String()).Port()) }

// rotate draws a new shared key.
func (f *fake) rotate() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shared, _ = crypt.ParseKey(crypt.NewKeyString())
	f.serial = 0
}

func (f *fake) answer(q *zmtp.Request) {
	env, err := wire.ParseEnvelope(q.Body)
	if err != nil || env.Version != f.protocol {
		f.say(q, "bad load")
		return
	}
	if !env.Encrypted() {
		f.signIn(q, env)
		return
	}
	f.mu.Lock()
	key := f.shared
	if f.protocol >= 3 {
		key = f.session[env.ID]
	}
	f.mu.Unlock()
	if key == nil {
		f.say(q, "bad load")
		return
	}
	plain, err := key.Open(env.Cipher)
	if err != nil {
		f.say(q, "bad load")
		return
	}
	load, err := wire.DecodeMap(plain)
	if err != nil || f.protocol >= 3 && (load.String("id") != env.ID || len(load.Bytes("tok")) == 0 || load.Int("ts") == 0) {
		f.say(q, "bad load")
		return
	}
	f.handle(q, load, key)
}

func (f *fake) handle(q *zmtp.Request, load *wire.Map, key *crypt.Crypticle) {
	cmd, id := load.String("cmd"), load.String("id")
	f.mu.Lock()
	f.cmds[cmd]++
	if cmd == "_minion_event" {
		f.cmds[load.String("tag")]++
	}
	if cmd == "_return" {
		switch {
		case f.lose > 0:
			f.lose--
			f.mu.Unlock()
			return
		case f.refuse > 0:
			f.refuse--
			f.mu.Unlock()
			f.say(q, "Some exception handling minion payload")
			return
		}
		f.returns[load.String("jid")+" "+id]++
	}
	pub, spoil, plain := f.pubs[id], f.spoil, []byte{0xc0}
	if f.shelf != nil {
		if v, ok := f.shelf.serve(load); ok {
			plain, _ = wire.Encode(v)
		}
	}
	f.mu.Unlock()
	if cmd == "_pillar" {
		f.whole(q, load, pub, spoil)
		return
	}
	body, err := key.Seal(load.String("nonce"), plain)
	if err != nil {
		f.t.Error(err)
	}
	f.reply(q, body)
}

func (f *fake) say(q *zmtp.Request, text string) { f.reply(q, text) }

func (f *fake) reply(q *zmtp.Request, v any) {
	body, err := wire.Encode(v)
	if err != nil {
		f.t.Error(err)
	}
	q.Reply(body)
}

// signIn returns an accepting reply (Salt wire reference §6.2).
func (f *fake) signIn(q *zmtp.Request, env wire.Envelope) {
	load, err := wire.DecodeMap(env.Load)
	if err != nil || load.String("cmd") != "_auth" {
		f.say(q, "bad load")
		return
	}
	public, err := crypt.ParsePublicPEM(load.String("pub"))
	if err != nil {
		f.t.Error(err)
		return
	}
	id := load.String("id")
	session, _ := crypt.ParseKey(crypt.NewKeyString())
	f.mu.Lock()
	f.cmds["_auth"]++
	f.session[id], f.pubs[id] = session, load.String("pub")
	shared := f.shared
	f.mu.Unlock()
	seal := func(text string) []byte {
		b, err := crypt.Encrypt(crypt.OAEPSHA1, public, []byte(text))
		if err != nil {
			f.t.Error(err)
		}
		return b
	}
	sum := sha256.Sum256([]byte(shared.Key()))
	sig, err := crypt.X931Sign(f.pair.Private, []byte(hex.EncodeToString(sum[:])))
	if err != nil {
		f.t.Error(err)
	}
	in := wire.NewMap("enc", "pub", "pub_key", f.pair.PublicPEM, "publish_port", port(f.pub.Addr()))
	if token := load.Bytes("token"); token != nil {
		challenge, err := crypt.Decrypt(crypt.OAEPSHA1, f.pair.Private, token)
		if err != nil {
			f.t.Error(err)
		}
		in.Set("token", seal(string(challenge)))
	}
	in.Set("aes", seal(shared.Key()))
	if f.protocol >= 3 {
		in.Set("session", seal(session.Key()))
	}
	in.Set("sig", sig)
	in.Set("nonce", load.String("nonce"))
	inner, err := wire.Encode(in)
	if err != nil {
		f.t.Error(err)
	}
	outer, err := crypt.Sign(crypt.PKCS1SHA1, f.pair.Private, inner)
	if err != nil {
		f.t.Error(err)
	}
	f.reply(q, wire.NewMap("enc", "clear", "load", inner, "sig", outer))
}

// publish publishes a job to all.
func (f *fake) publish(jid, fun string, tgt any, kind string, args ...any) {
	f.mu.Lock()
	f.serial++
	load := wire.NewMap("fun", fun, "arg", args, "tgt", tgt, "jid", jid, "ret", "", "tgt_type", kind, "user", "root", "serial", f.serial)
	key := f.shared
	f.mu.Unlock()
	raw, err := wire.Encode(load)
	if err != nil {
		f.t.Fatal(err)
	}
	cipher, err := key.Seal("", raw)
	if err != nil {
		f.t.Fatal(err)
	}
	body, err := wire.Envelope{Enc: "aes", Cipher: cipher}.Encode()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.pub.Send("", body); err != nil {
		f.t.Fatal(err)
	}
}

// count returns a counter of the fake.
func (f *fake) count(of func() int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return of()
}

// twice lists the returns that arrived more than once.
func (f *fake) twice() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for k, n := range f.returns {
		if n != 1 {
			all = append(all, k)
		}
	}
	slices.Sort(all)
	return all
}
