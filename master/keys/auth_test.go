package keys

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

func packed(t testing.TB, v any) wire.Raw {
	t.Helper()
	b, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// someNonce is one in the form that all peers send.
const someNonce = "0123456789abcdef0123456789abcdef"

func TestParseAuth(t *testing.T) {
	a, err := ParseAuth(packed(t, wire.NewMap("cmd", "_auth", "id", "m1", "nonce", someNonce, "enc_algo", "E", "sig_algo", "S",
		"autosign_grains", wire.NewMap("uuid", "1"), "token", []byte{0xff, 0}, "pub", "P")), 3)
	if err != nil {
		t.Fatal(err)
	}
	if a.Version != 3 || a.ID != "m1" || a.Nonce != someNonce || a.EncAlgo != "E" || a.SigAlgo != "S" || a.Pub != "P" ||
		!a.HasToken || string(a.Token) != "\xff\x00" || a.Grains.String("uuid") != "1" {
		t.Errorf("%+v", a)
	}
	a, err = ParseAuth(packed(t, wire.NewMap("id", "m1", "pub", "P")), 0)
	if err != nil || a.EncAlgo != crypt.OAEPSHA1 || a.SigAlgo != crypt.PKCS1SHA1 || a.HasToken || a.Grains != nil {
		t.Errorf("%+v, %v", a, err)
	}
	for name, tc := range map[string]struct {
		load  any
		reply string
	}{
		"not a map":         {"x", PlainNotMap},
		"no id":             {wire.NewMap("pub", "P", "nonce", someNonce), PlainFault},
		"no pub":            {wire.NewMap("id", "m1", "nonce", someNonce), PlainFault},
		"no nonce":          {wire.NewMap("id", "m1", "pub", "P"), PlainFault},
		"nonce too long":    {wire.NewMap("id", "m1", "pub", "P", "nonce", someNonce+"0"), PlainBadLoad},
		"nonce a number":    {wire.NewMap("id", "m1", "pub", "P", "nonce", 1), PlainBadLoad},
		"nonce of bytes":    {wire.NewMap("id", "m1", "pub", "P", "nonce", strings.Repeat("\x00", 32)), PlainBadLoad},
		"nonce in capitals": {wire.NewMap("id", "m1", "pub", "P", "nonce", strings.ToUpper(someNonce)), PlainBadLoad},
		"nonce empty":       {wire.NewMap("id", "m1", "pub", "P", "nonce", ""), PlainBadLoad},
		"pub a list":        {wire.NewMap("id", "m1", "pub", []any{}, "nonce", someNonce), PlainFault},
		"algo a number":     {wire.NewMap("id", "m1", "pub", "P", "nonce", someNonce, "sig_algo", 1), PlainFault},
		"id a number":       {wire.NewMap("id", 5, "pub", "P", "nonce", someNonce), "bad load: id 5 is not a string"},
		"id None":           {wire.NewMap("id", nil, "pub", "P", "nonce", someNonce), "bad load: id None is not a string"},
		"id no text":        {wire.NewMap("id", "\xff", "pub", "P", "nonce", someNonce), `bad load: id "\xff" is not a string`},
		"id with NUL":       {wire.NewMap("id", "a\x00b", "pub", "P", "nonce", someNonce), PlainNUL},
	} {
		_, err := ParseAuth(packed(t, tc.load), 2)
		bad := (*BadLoad)(nil)
		if !errors.As(err, &bad) || bad.Reply != tc.reply || bad.Why == "" {
			t.Errorf("%s: %v, want reply %q", name, err, tc.reply)
		}
	}
}

func FuzzParseAuth(f *testing.F) {
	for _, file := range []string{"auth_forms_v0_v2.json", "auth_forms_v3.json"} {
		var v authForms
		vectors.Load(f, file, &v)
		for _, c := range v.Cases {
			if env, err := wire.ParseEnvelope(c.Request); err == nil && !env.Encrypted() {
				f.Add([]byte(env.Load), env.Version)
			}
		}
	}
	store := openStore(f, Options{})
	sessions, err := OpenSessions(store, SessionOptions{Cachedir: f.TempDir(), Log: quiet})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = sessions.Close() })
	aes := crypt.NewKeyString()
	gate := &Gate{
		Identity: NewIdentity(pairOf(f, "master")), Sessions: sessions, AES: func() string { return aes }, Log: quiet,
		Decider: NewDecider(store, Policy{MaxMinions: 1, Connected: func(string) (int, bool) { return 2, false }, Log: quiet}),
	}
	f.Fuzz(func(t *testing.T, load []byte, version int) {
		got := gate.Handle(context.Background(), load, version, netip.Prefix{})
		if err := wire.Scan(got.Body, wire.Limits{}); err != nil {
			t.Errorf("reply is not a value: %v", err)
		}
		if got.Verdict.Outcome == Admitted {
			t.Errorf("a stranger is admitted: %+v", got.Auth)
		}
	})
}
