package runners

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/returners"
)

// shelf is a store that records the jids of stored calls.
type shelf struct{ jids []string }

func (s *shelf) SaveReturns(_ context.Context, rets []returners.Return, _ ...returners.Load) ([]bool, error) {
	for _, r := range rets {
		s.jids = append(s.jids, r.JID+" "+r.Fun)
	}
	return make([]bool, len(rets)), nil
}

// Calls that change something, take long or were interrupted are stored in the job cache.
// runner_returns stores all or none.
func TestHost_Keeps(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		option *bool
		fun    string
		args   []any
		start  Start
		kept   bool
	}{
		"reads":               {fun: "test.arg"},
		"changes":             {fun: "event.send", args: []any{"x"}, kept: true},
		"fails":               {fun: "error.error", args: []any{"ValueError"}},
		"lasts":               {fun: "test.sleep", args: []any{"2"}, kept: true},
		"in the background":   {fun: "test.arg", start: Start{Keep: true}, kept: true},
		"as Salt":             {option: &yes, fun: "test.arg", kept: true},
		"none":                {option: &no, fun: "test.sleep", args: []any{"2"}, start: Start{Keep: true}},
		"not wanted":          {fun: "test.sleep", args: []any{"2"}, start: Start{Discard: true}},
		"for its caller only": {option: &yes, fun: "cache.fetch", args: []any{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &shelf{}
				h := NewHost(NewCalls(CallsOptions{
					Ctx: t.Context(), ID: "top", MaxEvent: 1 << 20, Now: time.Now,
					Store: s, Keeping: KeepingOf(c.option), Depth: 100, Fire: func(string, *wire.Map) {},
				}), func(access.Owner) Env { return &stage{} })
				c.start.JID = "20260101000000000001"
				// The caller gives up at once. The call continues and is stored as usual.
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				_, _ = h.Do(ctx, Bind(Request{Fun: c.fun, Args: c.args}), c.start) // canceled, or done at once
				h.Close()
				want := []string(nil)
				if c.kept {
					want = []string{"20260101000000000001 runner." + c.fun}
				}
				if !slices.Equal(s.jids, want) {
					t.Errorf("kept %v, want %v", s.jids, want)
				}
			})
		})
	}
}

// Each function listed as read-only exists, and none has a name that suggests a change.
func TestChanges(t *testing.T) {
	for _, fun := range slices.Concat(tellers, changing) {
		if _, ok := Lookup(fun); !ok && !strings.HasPrefix(fun, "state.") { // registered by package orchestrate
			t.Errorf("%s is missing", fun)
		}
	}
	for fun, want := range map[string]bool{
		"state.orchestrate": true, "state.sls": true, "salt.execute": true, "saltutil.sync_all": true, "fileserver.update": true, "git_pillar.update": true,
		"node.drain": true, "cache.clear_all": true, "event.send": true, "jobs.dequeue": true, "mine.update": true, "reactor.add": true,
		"jobs.list_jobs": false, "manage.status": false, "topology.tree": false, "fileserver.file_list": false, "state.event": false,
	} {
		if Changes(fun) != want {
			t.Errorf("%s: %v", fun, !want)
		}
	}
}
