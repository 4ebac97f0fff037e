//go:build linux && slow

package galera

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestCluster plays one fault of each kind, as `make galera` plays many: in namespaces where they
// are permitted, else on loopback addresses.
func TestCluster(t *testing.T) {
	dir, err := os.MkdirTemp("", "mg") // short: the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), lab, "galera", "--short", "--rate=100", "--timeout=5s", "--dir="+dir).CombinedOutput()
	t.Logf("%s", out)
	if err != nil || !strings.Contains(string(out), "every row is at all three servers, once") {
		t.Fatalf("%v; logs are in %s", err, dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}
