package channeltest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
)

// pemPair is one entry of keys.json. These pairs were made for tests alone.
type pemPair struct {
	Private string `json:"private_pem"`
	Public  string `json:"public_pem"`
}

func pairPEM(tb testing.TB, name string) pemPair {
	tb.Helper()
	var all map[string]pemPair
	if err := vectors.Read("keys.json", &all); err != nil {
		tb.Fatal(err)
	}
	p, ok := all[name]
	if !ok {
		tb.Fatalf("keys.json has no pair %q", name)
	}
	return p
}

// Key is one of the fixed pairs: master, lower_master, minion, minion2, syndic,
// changed_minion, sign.
func Key(tb testing.TB, name string) *crypt.KeyPair {
	tb.Helper()
	p := pairPEM(tb, name)
	priv, err := crypt.ParsePrivatePEM([]byte(p.Private), "")
	if err != nil {
		tb.Fatal(err)
	}
	return &crypt.KeyPair{Private: priv, PublicPEM: p.Public}
}

// WriteKeys puts the pair called name into dir as <stem>.pem and <stem>.pub, so
// that no test has to wait for a new one.
func WriteKeys(tb testing.TB, dir, name, stem string) {
	tb.Helper()
	p := pairPEM(tb, name)
	for file, text := range map[string]string{stem + ".pem": p.Private, stem + ".pub": p.Public} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o400); err != nil {
			tb.Fatal(err)
		}
	}
}
