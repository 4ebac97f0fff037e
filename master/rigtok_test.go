package master

import (
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/master/keys"
)

// tokOf is the proof of identity that the golden pair of that name makes.
func tokOf(t testing.TB, key string) []byte {
	t.Helper()
	private, _ := goldenPair(t, key)
	priv, err := crypt.ParsePrivatePEM([]byte(private), "")
	if err != nil {
		t.Fatal(err)
	}
	tok, err := crypt.X931Sign(priv, []byte(keys.TokText))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}
