package api

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Users with the same rules share one tree, and nobody sees it without permission.
func TestTreesAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		s := serve(t, f)
		alice, alice2, bob, carol, frank := f.token("alice", time.Hour), f.token("alice", time.Hour), f.token("bob", time.Hour), f.token("carol", time.Hour), f.token("frank", time.Hour)
		get := func(token string, want int) {
			t.Helper()
			if w := ask(s, "GET", "/tree?minions=count", "", token); w.Code != want || (want == 200) != strings.Contains(w.Body.String(), `"id": "top"`) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		}
		readBy := func(want ...string) {
			t.Helper()
			if !slices.Equal(f.trees, want) {
				t.Errorf("read by %v, want %v", f.trees, want)
			}
			f.trees = nil
		}
		get(alice, 200)
		get(alice2, 200)
		get(bob, 401)
		get(carol, 200) // other rules, so the master is asked
		get(frank, 200)
		get(alice, 200)
		readBy("alice", "carol", "frank")
		_ = f.RevokeToken(t.Context(), alice2)
		get(alice2, 401)
		time.Sleep(treeAge + 1)
		get(alice, 200)
		readBy("alice")

		// Many at once are one question, and one who goes away takes it from nobody.
		time.Sleep(treeAge + 1)
		f.holdTree = make(chan struct{})
		var wg sync.WaitGroup
		gone, leave := contextWithCancel(t.Context())
		for i := range 50 {
			wg.Go(func() {
				if i > 0 {
					get(alice, 200)
					return
				}
				if _, err := s.handlers.tree.trees.get(gone, Token{Token: alice, Perms: perms["alice"]}); err == nil {
					t.Error("who has gone was answered")
				}
			})
			if i == 0 {
				synctest.Wait()
				leave()
			}
		}
		synctest.Wait()
		close(f.holdTree)
		wg.Wait()
		readBy("alice")

		// The error of one user is not shown to another.
		time.Sleep(treeAge + 1)
		f.holdTree = nil
		first, second := f.token("bob", time.Hour), f.token("bob", time.Hour)
		for _, token := range []string{first, second} {
			wg.Go(func() { get(token, 401) })
		}
		wg.Wait()
		readBy()
	})
}

// A user whose rules the master does not report shares no tree.
func TestTreeWithoutRules(t *testing.T) {
	f := newFake()
	s := serve(t, f)
	nobody := f.token("nobody", time.Hour)
	for range 3 {
		if w := ask(s, "GET", "/tree", "", nobody); w.Code != http.StatusOK {
			t.Error(w.Code, w.Body)
		}
	}
	if len(f.trees) != 3 || len(s.handlers.tree.trees.trees) != 0 {
		t.Errorf("read by %v, %d kept", f.trees, len(s.handlers.tree.trees.trees))
	}
}

// A preview shows which minions a target matches only to those who may use it.
func TestPreview(t *testing.T) {
	f := newFake()
	s := serve(t, f)
	alice, bob := f.token("alice", time.Hour), f.token("bob", time.Hour)
	for _, c := range []struct {
		query, token string
		status       int
		want         string
	}{
		{"tgt=web-*&fun=test.ping", bob, 200, `{"return": [{"count": 3, "minions": [{"id": "web-01", "path": "syndic-a", "state": "up"}, {"id": "web-02", "path": "syndic-a", "state": "up"}, {"id": "web-03", "path": "syndic-a", "state": "up"}], "nodes": [{"path": "syndic-a", "count": 3}], "down": 0, "unknown": 0, "blind": 0}]}`},
		{"tgt=*&fun=test.ping", bob, 200, `{"return": [{"count": 0, "minions": [], "nodes": [], "down": 0, "unknown": 0, "blind": 0, "refused": "Authorization error occurred."}]}`},
		{"tgt=web-*&fun=cmd.run&arg=id", bob, 200, `"refused": "Authorization error occurred."`},
		{"tgt=web-01,db-01&tgt_type=list&fun=cmd.run&arg=id&arg=x", alice, 200, `"count": 2`},
		{"tgt=web-*", alice, 400, "tgt and fun are missing"},
		{"fun=test.ping", alice, 400, "tgt and fun are missing"},
		{"tgt=*&fun=test.ping", "", 401, "No permission"},
	} {
		if w := ask(s, "GET", "/preview?"+c.query, "", c.token); w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s", c.query, w.Code, w.Body)
		}
	}
	if len(f.published) > 0 {
		t.Error("a preview has started a job")
	}
}

// Gateways get the tree and the trace of a job in the form of the runners.
func TestRawForms(t *testing.T) {
	f := newFake()
	s := serve(t, f)
	alice := f.token("alice", time.Hour)
	f.owner["20240101000000000777"] = "alice"
	for path, want := range map[string]string{
		"/tree?raw=yes":               `{"return": [{"id": "top", "role": "master"`,
		"/tree/syndic-a/deep?raw=yes": `{"return": [{"id": "deep"`,
		"/tree?raw=no":                `"problems"`,
		"/tree?raw=":                  "raw is yes or no",
		"/jobs/20240101000000000777/status?raw=yes": `{"return": [{"node": "top", "state": "open"`,
		"/jobs/20240101000000000777/status?raw=1":   "raw is yes or no",
	} {
		if w := ask(s, "GET", path, "", alice); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
