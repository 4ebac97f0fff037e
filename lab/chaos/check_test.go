//go:build linux

package chaos

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestVerdict checks that each kind of damage is found: checks that pass because they look at
// nothing would be worse than none.
func TestVerdict(t *testing.T) {
	type world struct {
		ran  map[string]int
		book books
		ends []ended
		err  error
	}
	sound := func() world {
		return world{
			ran: map[string]int{"mc1": 1, "mc2": 1},
			book: books{
				loads:    map[string]bool{"j": true},
				rows:     map[string]map[string]row{"j": {"mc1": {success: true}, "mc2": {success: true}}},
				expected: map[string]map[string]string{"j": {"mc1": "", "mc2": ""}},
			},
			ends: []ended{{expected: 2, returned: 2, nodes: map[string]string{"a": "answered", "a/c": "answered"}}},
		}
	}
	for name, tt := range map[string]struct {
		harm func(*world)
		want string
	}{
		"nothing":             {func(*world) {}, ""},
		"a lost row":          {func(w *world) { delete(w.book.rows["j"], "mc1") }, "lost: mc1"},
		"run twice":           {func(w *world) { w.ran["mc1"] = 2 }, "2 times"},
		"a row without a run": {func(w *world) { delete(w.ran, "mc1") }, "it did not"},
		"a failed row of a minion that never began": {func(w *world) {
			delete(w.ran, "mc1")
			w.book.rows["j"]["mc1"] = row{}
		}, ""},
		"an untargeted minion":    {func(w *world) { w.ran["md1"] = 1; w.book.rows["j"]["md1"] = row{} }, "did not target it"},
		"a forgotten job":         {func(w *world) { delete(w.book.loads, "j") }, "forgotten"},
		"a job that was refused":  {func(w *world) { w.err = errors.New("no"); delete(w.book.loads, "j") }, ""},
		"closed without a reason": {func(w *world) { delete(w.ran, "mc1"); delete(w.book.rows["j"], "mc1") }, "without a return or a reason for mc1"},
		"reported as missing": {func(w *world) {
			delete(w.ran, "mc1")
			delete(w.book.rows["j"], "mc1")
			w.book.expected["j"]["mc1"] = "Not connected"
		}, ""},
		"a wrong sum": {func(w *world) { w.ends[0].returned = 1 }, "does not add up"},
		"named in no report": {func(w *world) {
			delete(w.ran, "mc1")
			delete(w.book.rows["j"], "mc1")
			delete(w.book.expected["j"], "mc1")
		}, "no report names it"},
		"behind a node that was not reached": {func(w *world) {
			delete(w.ran, "mc1")
			delete(w.book.rows["j"], "mc1")
			delete(w.book.expected["j"], "mc1")
			w.ends[0].nodes["a/c"] = "unreachable"
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := sound()
			tt.harm(&w)
			j := &job{Task: Task{Top: "t1", Who: []string{"mc1", "mc2"}}, jid: "j", err: w.err}
			v := &verdict{}
			v.once(j, w.ran, w.book.rows["j"])
			v.account(j, &w.book, w.ends)
			got := strings.Join(v.faults, "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

func TestVerdict_ReturnsFiredTwice(t *testing.T) {
	v := &verdict{}
	v.events(&top{id: "t1", jobs: map[string]*heard{"j": {rets: map[string]int{"mc1": 1, "mc2": 2}}}})
	if len(v.faults) != 1 || !strings.Contains(v.faults[0], "mc2") {
		t.Errorf("found %q", v.faults)
	}
}

func TestAbove(t *testing.T) {
	for _, tt := range []struct {
		path string
		want bool
	}{{"a", true}, {"a/c", true}, {"b", false}, {"b/d", false}, {"mc1", false}} {
		if got := above(tt.path, "mc1"); got != tt.want {
			t.Errorf("%s above mc1: %v", tt.path, got)
		}
	}
}

// More minions at work than a batch allows are blamed, unless one was reported missing, also after an earlier slice had
// ended: nobody waits for that one, and it may still be at work.
func TestVerdict_BatchSize(t *testing.T) {
	now := time.Now()
	gone := map[string]naming{"mc2": {now, "Node did not answer", "a/c"}}
	for name, c := range map[string]struct {
		hear  func(h *heard)
		blame bool
	}{
		"all answered":                       {func(*heard) {}, true},
		"reported before the first end":      {func(h *heard) { h.ended, h.ends = time.Time{}, nil; h.missed(gone); h.closed(now, ended{}) }, false},
		"reported after it":                  {func(h *heard) { h.missed(gone) }, false},
		"reported after it, though answered": {func(h *heard) { h.returned("mc2", now); h.missed(gone) }, true},
	} {
		h, v := newHeard(), &verdict{}
		h.closed(now, ended{expected: 1, returned: 1})
		c.hear(h)
		j := &job{Task: Task{Batch: ByMaster, Size: 1, Who: []string{"mc1", "mc2"}}, jid: "j"}
		rows := map[string]row{"mc1": {success: true}, "mc2": {success: true}}
		v.batch(j, h, rows, map[string]string{"mc1": "", "mc2": ""}, []span{{"mc1", 1, 5}, {"mc2", 2, 6}})
		if (len(v.faults) > 0) != c.blame {
			t.Errorf("%s: %v", name, v.faults)
		}
	}
}
