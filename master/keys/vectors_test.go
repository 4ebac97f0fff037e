package keys

import (
	"bytes"
	"context"
	"crypto/rsa"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

// authForm is one sign-in as a real master answered it.
type authForm struct {
	Name    string
	Version int
	Options struct {
		MaxMinions       int  `json:"max_minions"`
		AutoAccept       bool `json:"auto_accept"`
		OpenMode         bool `json:"open_mode"`
		MasterSignPubkey bool `json:"master_sign_pubkey"`
	}
	Request   []byte
	Reply     []byte
	KeyOnDisk *struct{ Folder, Key string } `json:"key_on_disk"`
	Decrypted struct{ AES, Token, Session string }
	Events    []struct {
		Tag  string
		Data struct {
			Act, ID string
			Result  bool
		}
	}
	PkiAfter  []string `json:"pki_after"`
	Exception string
}

type authForms struct {
	AESKeyString string `json:"aes_key_string"`
	Cases        []authForm
}

// Requests that never reach the sign-in: the master refuses them for every
// command alike.
var notSignIns = []string{"not a map", "load missing", "aes load of another key", "minimum_auth_version 3 refuses version 2"}

// Where the master differs from a recorded one on purpose.
var differs = map[string]struct {
	why   string
	act   string // of the event, "" for none
	reply string // plain text, or ret
	after []string
}{
	"nonce missing":                                    {why: "no reply to it can be made, so nothing is stored and no event fired", reply: PlainFault, after: []string{"minions/vec1"}},
	"auth_mode 2":                                      {why: "1 is the only mode", act: "accept", after: []string{"minions/vec1"}},
	"algorithms OAEP-SHA256 PKCS1v15-SHA1":             {why: "answered rather than dropped", reply: "bad enc algo", after: []string{"minions/vec1"}},
	"v2 pub with CRLF against LF on disk":              {why: "line ends do not matter", act: "accept", after: []string{"minions/vec1"}},
	"v2 pending key without final newline on the wire": {why: "the last newline does not matter", act: "pend", reply: "True", after: []string{"minions_pre/vec1"}},
}

func TestSignInAgainstSalt(t *testing.T) {
	for file, want := range map[string]int{"auth_forms_v0_v2.json": 38, "auth_forms_v3.json": 36} {
		var v authForms
		vectors.Load(t, file, &v)
		n := 0
		for _, c := range v.Cases {
			if slices.Contains(notSignIns, c.Name) {
				continue
			}
			n++
			name := c.Name
			if _, ok := differs["v2 "+name]; ok && strings.Contains(file, "v2") {
				c.Name = "v2 " + name
			}
			t.Run(strings.TrimSuffix(file, ".json")+"/"+string(rune('0'+c.Version))+"/"+name, func(t *testing.T) { c.check(t, v.AESKeyString) })
		}
		if n != want {
			t.Errorf("%s: %d sign-ins checked, want %d", file, n, want)
		}
	}
}

func (c *authForm) gate(t *testing.T, aes string) (*Gate, *Store) {
	t.Helper()
	pki := t.TempDir()
	keys := vectors.Keys(t)
	for name, key := range map[string]string{"master": "master", "master_sign": "sign"} {
		if err := os.WriteFile(filepath.Join(pki, name+".pem"), []byte(keys[key].PrivatePEM), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	store := openStore(t, Options{PkiDir: pki})
	if d := c.KeyOnDisk; d != nil {
		if err := os.WriteFile(filepath.Join(pki, d.Folder, "vec1"), []byte(keys[d.Key].PublicPEM), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	identity, err := OpenIdentity(IdentityOptions{PkiDir: pki, MasterSignPubkey: c.Options.MasterSignPubkey})
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := OpenSessions(store, SessionOptions{Cachedir: t.TempDir(), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sessions.Close() })
	policy := Policy{
		AutoAccept: c.Options.AutoAccept, OpenMode: c.Options.OpenMode, MaxMinions: c.Options.MaxMinions,
		Connected: func(string) (int, bool) { return 2, false }, Log: quiet,
	}
	return &Gate{
		Identity: identity, Decider: NewDecider(store, policy), Sessions: sessions,
		AES: func() string { return aes }, PublishPort: 4505, Log: quiet,
	}, store
}

func (c *authForm) check(t *testing.T, aes string) {
	gate, store := c.gate(t, aes)
	env, err := wire.ParseEnvelope(c.Request)
	if err != nil {
		t.Fatal(err)
	}
	if env.Version != c.Version {
		t.Errorf("version %d, want %d", env.Version, c.Version)
	}
	got := gate.Handle(context.Background(), env.Load, env.Version, netip.Prefix{})

	after := c.PkiAfter
	if d, ok := differs[c.Name]; ok {
		after = d.after
		if act := got.Event.String("act"); act != d.act {
			t.Errorf("%s: event with act %q, want %q", d.why, act, d.act)
		}
		if d.reply != "" {
			if text := retOf(t, got.Body); text != d.reply {
				t.Errorf("%s: reply %q, want %q", d.why, text, d.reply)
			}
		}
	} else {
		c.checkEvent(t, got.Event)
		c.checkReply(t, got, gate)
	}
	if diff := cmp.Diff(after, files(t, store.opts.PkiDir)); diff != "" {
		t.Errorf("key folders (-want +got):\n%s", diff)
	}
}

func (c *authForm) checkEvent(t *testing.T, got *wire.Map) {
	t.Helper()
	if len(c.Events) == 0 {
		if got != nil {
			t.Errorf("event %#v, want none", got)
		}
		return
	}
	want := c.Events[0].Data
	if got.String("act") != want.Act || got.Bool("result") != want.Result || got.String("id") != want.ID {
		t.Errorf("event %#v, want %+v", got, want)
	}
	if !strings.HasPrefix(strings.TrimSpace(got.String("pub")), "-----BEGIN PUBLIC KEY") {
		t.Errorf("event without the key: %#v", got)
	}
}

func (c *authForm) checkReply(t *testing.T, got Answer, gate *Gate) {
	t.Helper()
	if got.Verdict.Outcome != Admitted {
		// All of it is fixed, signatures included: the bytes are Salt's.
		if !bytes.Equal(got.Body, c.Reply) {
			t.Errorf("reply\n%x, want\n%x", got.Body, c.Reply)
		}
		return
	}
	keys := vectors.Keys(t)
	master := pairOf(t, "master")
	wantMap, gotMap := openReply(t, c.Reply, nil, ""), openReply(t, got.Body, master.Public(), got.Auth.SigAlgo)
	if wantMap.Has("ret") {
		if gotMap.String("ret") != wantMap.String("ret") {
			t.Errorf("ret %q, want %q", gotMap.String("ret"), wantMap.String("ret"))
		}
		return
	}
	order := slices.DeleteFunc(gotMap.Keys(), func(k any) bool { return k == "session" && !wantMap.Has("session") })
	if diff := cmp.Diff(wantMap.Keys(), order); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	for _, field := range []string{"enc", "nonce"} {
		if gotMap.String(field) != wantMap.String(field) {
			t.Errorf("%s %q, want %q", field, gotMap.String(field), wantMap.String(field))
		}
	}
	if gotMap.Int("publish_port") != wantMap.Int("publish_port") {
		t.Errorf("publish_port %d, want %d", gotMap.Int("publish_port"), wantMap.Int("publish_port"))
	}
	if crypt.CleanPEM(gotMap.String("pub_key")) != crypt.CleanPEM(wantMap.String("pub_key")) {
		t.Error("pub_key differs")
	}
	if !bytes.Equal(gotMap.Bytes("sig"), wantMap.Bytes("sig")) {
		t.Error("proof of the shared key differs from Salt's")
	}
	if wantMap.Has("pub_sig") && gotMap.String("pub_key") == wantMap.String("pub_key") && !bytes.Equal(gotMap.Bytes("pub_sig"), wantMap.Bytes("pub_sig")) {
		t.Error("pub_sig differs from Salt's")
	}
	if wantMap.Has("pub_sig") {
		sign := pairOf(t, "sign")
		again, err := SignText(got.Auth.SigAlgo, sign, gotMap.String("pub_key"))
		if err != nil || !bytes.Equal(again, gotMap.Bytes("pub_sig")) {
			t.Errorf("pub_sig is not over pub_key: %v", err)
		}
	}
	var minion *rsa.PrivateKey
	for name, k := range keys {
		if crypt.CleanPEM(k.PublicPEM) == crypt.CleanPEM(got.Auth.Pub) {
			minion = pairOf(t, name).Private
		}
	}
	open := func(field string) string {
		b, err := crypt.Decrypt(got.Auth.EncAlgo, minion, gotMap.Bytes(field))
		if err != nil {
			t.Errorf("field %s: %v", field, err)
		}
		return string(b)
	}
	if text := open("aes"); text != c.Decrypted.AES {
		t.Errorf("shared key %q, want %q", text, c.Decrypted.AES)
	}
	if wantMap.Has("token") {
		if text := open("token"); text != c.Decrypted.Token {
			t.Errorf("challenge %q, want %q", text, c.Decrypted.Token)
		}
	}
	session, err := gate.Sessions.Key(got.Auth.ID)
	if err != nil || open("session") != session {
		t.Errorf("session key differs from the one kept: %v", err)
	}
}

// openReply gives the map a reply comes to, and checks its signature when the
// master's key is given.
func openReply(t *testing.T, reply []byte, master *rsa.PublicKey, alg string) *wire.Map {
	t.Helper()
	outer, err := wire.DecodeMap(reply)
	if err != nil {
		t.Fatal(err)
	}
	if outer.String("enc") == "pub" {
		return outer
	}
	if m := outer.Map("load"); m != nil {
		return m
	}
	load := outer.Bytes("load")
	if master != nil {
		if err := crypt.Verify(alg, master, load, outer.Bytes("sig")); err != nil {
			t.Error(err)
		}
	}
	inner, err := wire.DecodeMap(load)
	if err != nil {
		t.Fatal(err)
	}
	return inner
}

// retOf gives a plain reply, or `ret` of a map as Python prints it.
func retOf(t *testing.T, reply []byte) string {
	t.Helper()
	v, err := wire.Decode(reply)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := v.(string); ok {
		return s
	}
	ret, _ := openReply(t, reply, nil, "").Get("ret")
	if s, ok := ret.(string); ok {
		return s
	}
	s, _ := scalarText(ret)
	return s
}

// Sign-ins recorded between real daemons.
func TestLiveSignIns(t *testing.T) {
	for file, want := range map[string]int{"live_v2_auth.json": 4, "live_v3_auth.json": 4} {
		var v struct {
			Exchanges []struct {
				ID             string
				Request, Reply []byte
				Token          string
				AESKeyString   string `json:"aes_key_string"`
				Session        string `json:"session_key_string"`
			}
		}
		vectors.Load(t, file, &v)
		if len(v.Exchanges) != want {
			t.Errorf("%s: %d exchanges, want %d", file, len(v.Exchanges), want)
		}
		for i, x := range v.Exchanges {
			c := authForm{Request: x.Request, Reply: x.Reply}
			c.Options.AutoAccept = true
			c.Decrypted.AES, c.Decrypted.Token, c.Decrypted.Session = x.AESKeyString, x.Token, x.Session
			gate, store := c.gate(t, x.AESKeyString)
			env, err := wire.ParseEnvelope(x.Request)
			if err != nil {
				t.Fatal(err)
			}
			if x.Session != "" { // the key a former master left
				if err := os.WriteFile(filepath.Join(gate.Sessions.dir, x.ID), []byte(x.Session), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := gate.Handle(context.Background(), env.Load, env.Version, netip.Prefix{})
			if got.Verdict.Outcome != Admitted || !store.Accepted(x.ID) {
				t.Fatalf("%s %d: %+v", file, i, got.Verdict)
			}
			c.checkReply(t, got, gate)
			if session, err := gate.Sessions.Key(x.ID); x.Session != "" && session != x.Session {
				t.Errorf("%s %d: session key %q, %v, want the one left by the former master", file, i, session, err)
			}
		}
	}
}
