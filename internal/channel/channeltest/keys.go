package channeltest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
)

func pairPEM(tb testing.TB, name string) vectors.Key {
	tb.Helper()
	p, ok := vectors.Keys(tb)[name]
	if !ok {
		tb.Fatalf("keys.json has no pair %q", name)
	}
	return p
}

// Key returns one of the fixed pairs: master, lower_master, minion, minion2, syndic,
// changed_minion, sign.
func Key(tb testing.TB, name string) *crypt.KeyPair {
	tb.Helper()
	p := pairPEM(tb, name)
	priv, err := crypt.ParsePrivatePEM([]byte(p.PrivatePEM), "")
	if err != nil {
		tb.Fatal(err)
	}
	return &crypt.KeyPair{Private: priv, PublicPEM: p.PublicPEM}
}

// WriteKeys writes the pair called name to dir as <stem>.pem and <stem>.pub, so that no test
// has to generate one.
func WriteKeys(tb testing.TB, dir, name, stem string) {
	tb.Helper()
	p := pairPEM(tb, name)
	for file, text := range map[string]string{stem + ".pem": p.PrivatePEM, stem + ".pub": p.PublicPEM} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o400); err != nil {
			tb.Fatal(err)
		}
	}
}
