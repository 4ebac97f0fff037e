package keys

import (
	"crypto/rsa"
	"log/slog"
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

// Minions of Salt 3006.12 to 3006.26 sign a return before the event bus adds _stamp and the channel
// adds ts.
func TestCheckReturn_SignedEarly(t *testing.T) {
	private, err := crypt.ParsePrivatePEM([]byte(vectors.Keys(t)["minion"].PrivatePEM), "")
	if err != nil {
		t.Fatal(err)
	}
	s := NewSignatures(SignaturesOptions{Require: true, Drop: true, Keys: keyOf{private}, Log: slog.New(slog.DiscardHandler)})
	for _, c := range []struct {
		name  string
		later func(*wire.Map) // changes the load after signing
		taken bool
	}{
		{"as Salt has it", func(*wire.Map) {}, true},
		{"another result", func(l *wire.Map) { l.Set("return", false) }, false},
		{"another job", func(l *wire.Map) { l.Set("jid", "20240102030405678999") }, false},
		{"something added", func(l *wire.Map) { l.Set("out", "raw") }, false},
		{"not signed", func(l *wire.Map) { l.Delete("sig") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			load := wire.NewMap("cmd", "_return", "id", "m1", "jid", "20240102030405678901", "fun", "test.ping", "fun_args", []any{},
				"return", true, "retcode", 0, "success", true)
			sig, err := crypt.Sign(crypt.PKCS1SHA1, private, encoded(t, load))
			if err != nil {
				t.Fatal(err)
			}
			load.Set("sig", sig)
			load.Set("_stamp", "2026-11-21T07:45:00.000001")
			for _, k := range []string{"nonce", "tok"} { // the channel adds these
				load.Set(k, []byte(k))
			}
			load.Set("ts", 1764000000)
			c.later(load)
			raw := encoded(t, load)
			ret, err := wire.ParseReturn(raw)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.CheckReturn(ret, raw); (err == nil) != c.taken {
				t.Errorf("accepted %v: %v", err == nil, err)
			}
		})
	}
}

// keyOf returns one key for every id.
type keyOf struct{ private *rsa.PrivateKey }

func (k keyOf) PublicKey(string) (*rsa.PublicKey, error) { return &k.private.PublicKey, nil }

func encoded(t *testing.T, load *wire.Map) wire.Raw {
	t.Helper()
	raw, err := wire.Encode(load)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
