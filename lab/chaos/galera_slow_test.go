//go:build linux && slow

package chaos

import (
	"strings"
	"testing"
)

// TestRounds_Galera plays a round with a cluster of three MariaDB servers, one of which is killed.
func TestRounds_Galera(t *testing.T) {
	if out := play(t, "--network=auto", "--store=galera", "--rounds=1", "--seed=341", "--length=3s", "-v"); !strings.Contains(out, "begins: sqlkill") {
		t.Error("no server was killed")
	}
}
