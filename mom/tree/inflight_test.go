package tree

import (
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/mom/salt"
)

func TestTopRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		err  string
	}{
		{nil, "mom top needs a terminal"},
		{[]string{"--out", "dot"}, `"dot" is neither text nor json`},
	} {
		if got := momtest.Run(TopCommand(), "", c.args...); got.Code != 64 || !strings.Contains(got.Err, c.err) {
			t.Errorf("%v: %v", c.args, got)
		}
	}
}

// A view of a master that is away says so with an exit code of its own.
func TestTopWithoutAMaster(t *testing.T) {
	tr := momtest.Own(t, "top: top-01\n")
	tr.Kill(t, "top")
	for _, args := range [][]string{{"--once"}, {"--out", "json"}} {
		got := tr.Run(TopCommand(), "top", append(args, "-t", "2s")...)
		if got.Code != 2 || !strings.Contains(got.Err, "cannot be read: ") || got.Out != "" {
			t.Errorf("%v: %v", args, got)
		}
	}
}

// A job in flight is shown with what it waits for (jobs that never end and nobody
// knows why: pains 17).
func TestTopShowsWhatAJobWaitsFor(t *testing.T) {
	tr := momtest.Shared(t)
	done := make(chan momtest.Ran, 1)
	go func() { done <- tr.Run(salt.Command(), "top", "web-01", "test.sleep", "6") }()
	got := tr.Run(TopCommand(), "top", "--once")
	for end := time.Now().Add(momtest.Patience); !strings.Contains(got.Out, "test.sleep on web-01") && time.Now().Before(end); {
		got = tr.Run(TopCommand(), "top", "--once")
	}
	if got.Code != 0 || !strings.Contains(got.Out, "test.sleep on web-01") {
		t.Errorf("the job is not in flight: %v", got)
	}
	if r := <-done; r.Code != 0 {
		t.Errorf("the job: %v", r)
	}
}
