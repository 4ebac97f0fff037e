package localcluster_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
)

// TestUsers55860_EventsOncePerTier counts the events of a leaf three tiers down that the top
// receives: each event once under its own name, and once more under the name of the node that
// forwarded it, however many tiers it has passed (#55860, #36285, pains 7).
func TestUsers55860_EventsOncePerTier(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	if err := s.grow(ctx, t, "top:\n  syndic-a:\n    syndic-b:\n      syndic-c: leaf\n"); err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	heard := s.hear(ctx, t)
	if _, err := s.publish(ctx, client.Job{Tgt: "leaf", Fun: []string{"event.send"}, Args: []any{"users/first", map[string]any{"n": 1}}}); err != nil {
		t.Fatal(err)
	}
	jid := s.last
	// A duplicate event would arrive before this one, which is the last.
	if _, err := s.publish(ctx, client.Job{Tgt: "leaf", Fun: []string{"event.send"}, Args: []any{"users/last", map[string]any{"n": 2}}}); err != nil {
		t.Fatal(err)
	}
	plain, copies := map[string]int{}, map[string]int{}
	ret := "salt/job/" + jid + "/ret/leaf"
	for copies["users/last"] == 0 || plain["users/last"] == 0 {
		e, err := heard.Next(ctx)
		if err != nil {
			t.Fatalf("after %v and %v: %v", plain, copies, err)
		}
		tag, isCopy := e.Tag, false
		for strings.HasPrefix(tag, "syndic/") {
			_, rest, _ := strings.Cut(strings.TrimPrefix(tag, "syndic/"), "/")
			if isCopy {
				t.Errorf("a copy of a copy: %s", e.Tag)
			}
			tag, isCopy = rest, true
		}
		if isCopy {
			copies[tag]++
		} else {
			plain[tag]++
		}
	}
	if plain["users/first"] != 1 || copies["users/first"] != 1 {
		t.Errorf("the event was heard %d times under its name and %d times under that of a node, want once each", plain["users/first"], copies["users/first"])
	}
	if plain[ret]+copies[ret] != 1 {
		t.Errorf("the return was heard %d times, want once", plain[ret]+copies[ret])
	}
}
