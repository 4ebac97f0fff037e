package access

import (
	"log/slog"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// Ids match as a whole, functions as acl_match says, and a minion without an entry may do nothing.
func TestPeers(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	for _, start := range []bool{false, true} {
		list := New(Options{Start: start, Log: quiet})
		p := NewPeers(PeerOptions{
			Publish: map[string]any{"m1": []any{"test.ping"}, "m.": []any{"a.b"}}, Run: map[string]any{"m1": []any{"manage.up", map[string]any{"jobs.lookup_jid": []any{map[string]any{"args": []any{"2.*"}}}}}},
			List: list, Log: quiet,
		})
		if n := len(p.Rules("m1")); n != 2 {
			t.Errorf("m1 has %d rules", n)
		}
		if p.Rules("m10") != nil || p.Rules("xm1") != nil {
			t.Error("an id that does not fit whole has rules")
		}
		for fun, want := range map[string]bool{"test.ping": true, "test.pingx": start, "xtest.ping": false, "a.b": true} {
			if got := list.Judge(p.Rules("m1"), []Call{{Fun: fun}}, Reach{}).Allowed; got != want {
				t.Errorf("start %v: %s: %v", start, fun, got)
			}
		}
		for _, c := range []struct {
			call Call
			want bool
		}{
			{Call{Fun: "manage.up"}, true},
			{Call{Fun: "manage.upx"}, start},
			{Call{Fun: "manage.down"}, false},
			{Call{Fun: "jobs.lookup_jid", Args: []any{"20"}}, true},
			{Call{Fun: "jobs.lookup_jid", Args: []any{"x"}, Kwargs: wire.NewMap()}, false},
		} {
			if got := p.JudgeRunner("m1", bound(c.call.Fun, c.call.Args, c.call.Kwargs)).Allowed; got != c.want {
				t.Errorf("start %v: %s %v: %v", start, c.call.Fun, c.call.Args, got)
			}
			if p.JudgeRunner("m2", bound(c.call.Fun, c.call.Args, c.call.Kwargs)).Allowed {
				t.Errorf("m2 may call %s", c.call.Fun)
			}
		}
	}
}
