package link

import (
	"testing"
	"time"

	"github.com/momtree/mom/syndic/forwarding"
)

func TestPrefer_FailsBackWhenStable(t *testing.T) {
	now := time.Now()
	mk := func(up bool, since time.Duration) *Link { return &Link{up: up, since: now.Add(-since)} }
	a, b := mk(false, time.Minute), mk(true, time.Minute)
	links := []*Link{a, b}
	p := forwarding.NewSharing(forwarding.SharingOptions[*Link]{After: 5 * time.Second, Back: 30 * time.Second})
	if got := p.Prefer(links); got != b {
		t.Fatal("the first is away, and yet preferred")
	}
	a.up, a.since = true, now.Add(-10*time.Second)
	if got := p.Prefer(links); got != b {
		t.Error("the first is preferred again too soon")
	}
	b.up, b.since = false, now.Add(-time.Second)
	if got := p.Prefer(links); got != b {
		t.Error("the second was away for a moment only")
	}
	b.up, a.since = true, now.Add(-31*time.Second)
	if got := p.Prefer(links); got != a {
		t.Error("the first has been back for long enough")
	}
}
