package keys

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRotationRequest(t *testing.T) {
	dir := t.TempDir()
	if asked, err := TakeRotation(dir); asked || err != nil {
		t.Errorf("without a request: %t, %v", asked, err)
	}
	for range 2 { // a request that waits already stays
		if err := RequestRotation(dir, "master-1"); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, ".dfn")
	if b, err := os.ReadFile(path); err != nil || string(b) != "master-1" || mustStat(t, path).Mode().Perm() != 0o400 {
		t.Errorf("%q, %v, mode %o", b, err, mustStat(t, path).Mode().Perm())
	}
	if asked, err := TakeRotation(dir); !asked || err != nil {
		t.Errorf("asked: %t, %v", asked, err)
	}
	if asked, _ := TakeRotation(dir); asked {
		t.Error("one request counts twice")
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if asked, err := TakeRotation(dir); asked || err == nil {
		t.Errorf("a file of mode 0644: %t, %v, want an error", asked, err)
	}
	if err := RequestRotation(dir, "m"); err != nil {
		t.Fatal(err)
	}
	if asked, err := TakeRotation(dir); !asked || err != nil {
		t.Errorf("a request in place of the wrong file: %t, %v", asked, err)
	}
}
