package swarm

import (
	"strings"
	"testing"

	engine "github.com/momtree/mom/lab/swarm"
)

// The error distinguishes between a master that is too slow for that many minions and one that does
// not know their keys.
func TestUnready(t *testing.T) {
	var r engine.Report
	if got := unready(r); !strings.Contains(got, "--seed-keys") {
		t.Errorf("nothing timed out: %q", got)
	}
	r.Requests.TimedOut = 12
	if got := unready(r); !strings.Contains(got, "12 requests") || !strings.Contains(got, "--ramp") {
		t.Errorf("12 timed out: %q", got)
	}
}
