package master

import (
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/master/keys"
)

// tokOf returns the proof of identity for the golden pair of that name.
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
