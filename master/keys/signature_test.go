package keys

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/vectors"
)

func TestWriteSignature(t *testing.T) {
	var v struct {
		File struct {
			Content string
			Over    []byte `json:"over_bytes"`
		} `json:"master_pubkey_signature_file"`
	}
	vectors.Load(t, "rsa.json", &v)
	path := filepath.Join(t.TempDir(), "master_pubkey_signature")
	for _, want := range []bool{true, false} {
		made, err := WriteSignature(path, pairOf(t, "sign"), string(v.File.Over))
		if err != nil || made != want {
			t.Errorf("made %t, %v, want %t", made, err, want)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != v.File.Content {
			t.Errorf("%q, %v, want Salt's file", b, err)
		}
	}
	if _, err := WriteSignature(filepath.Join(path, "below"), pairOf(t, "sign"), "x"); err == nil {
		t.Error("a file below a file was made")
	}
}
