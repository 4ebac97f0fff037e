package failover

import (
	"testing"

	"github.com/momtree/mom/internal/sibling"
)

func TestKnown_OtherOptionOrDamage(t *testing.T) {
	dir := t.TempDir()
	k, err := openKnown(dir, "one")
	if err != nil {
		t.Fatal(err)
	}
	if err := k.setPrimary(sibling.Node{ID: "b", Host: "h", Port: 1}); err != nil {
		t.Fatal(err)
	}
	if k, err = openKnown(dir, "one"); err != nil || k.addr != "h:1" {
		t.Errorf("%v, %v", k.addr, err)
	}
	if k, err = openKnown(dir, "two"); err != nil || k.addr != "" {
		t.Errorf("%v, %v", k.addr, err)
	}
	k.signed = []sibling.Signed{{Body: []byte("x"), Sig: []byte("y"), Pub: "z"}}
	k.mu.Lock()
	err = k.save()
	k.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	if k, err = openKnown(dir, "two"); err == nil || len(k.lists) != 0 {
		t.Errorf("believed %v", k.lists)
	}
}
