//go:build saltpeer

package interop

import (
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// TestRealSyndicBelowOurTop has a master of Salt's with its syndic, a minion of
// Salt's and one of ours, below a top of ours.
func TestRealSyndicBelowOurTop(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		top := w.master(nil, "top", "order_masters: True")
		low := w.lower(p, "node", top)
		real := w.minion(p, "real", low)
		w.minion(nil, "ours", low)
		w.minion(nil, "direct", top)
		top.accept("node", "direct")
		low.accept("real", "ours")
		top.joined(0, "syndic", "node")
		low.joined(0, "minion", "real", "ours")

		t.Run("all", func(t *testing.T) {
			mark := top.events.mark()
			r := top.salt("*", "test.ping")
			complete(t, r, 0, "direct ours real")
			lastReturn(t, top, mark, r)
			// A syndic of Salt's cannot say that it is done: syndic_wait is the end.
			if r.took > 8*time.Second {
				t.Errorf("took %v, want syndic_wait (5 s) and a little", r.took)
			}
		})
		t.Run("list", func(t *testing.T) {
			// All that are named have answered: nobody else can, and the job is over.
			mark := top.events.mark()
			r := top.salt("-L", "real,ours,direct", "test.ping")
			complete(t, r, 0, "direct ours real")
			quick(t, top, mark, r)
		})
		t.Run("direct", func(t *testing.T) {
			mark := top.events.mark()
			r := top.salt("direct", "test.ping")
			complete(t, r, 0, "direct")
			quick(t, top, mark, r)
		})
		t.Run("failed function", func(t *testing.T) {
			r := top.salt("real", "cmd.run", "echo no; exit 3", "python_shell=True")
			complete(t, r, 1, "real")
			r.want(t, "real", "no")
		})
		t.Run("long job", func(t *testing.T) {
			r := top.salt("-t", "2", "real", "test.sleep", "12")
			complete(t, r, 0, "real")
		})
		t.Run("started below", func(t *testing.T) {
			mark := top.events.mark()
			low.salt("real", "test.echo", "below")
			e := top.events.await(t, 10*time.Second, mark, `salt/job/\d+/ret/real`)
			if e.data.String("return") != "below" {
				t.Errorf("event %v", e.data)
			}
		})
		t.Run("restarted top", func(t *testing.T) {
			top.stop()
			top.start()
			if !waiting.Became(60*time.Second, func() bool { return strings.Contains(top.salt("-L", "real", "test.ping").out, "true") }) {
				t.Error("no answer through the syndic")
			}
		})
		t.Run("dead minion below", func(t *testing.T) {
			real.crash()
			r := top.salt("*", "test.ping")
			if r.code != 1 || !strings.Contains(r.text(), "real") || !strings.Contains(r.text(), "did not return") {
				t.Errorf("exit %d\n%s", r.code, r.text())
			}
			t.Logf("%v", r.took)
			// timeout 5, gather_job_timeout 10 and syndic_wait 5, as Salt has it
			if r.took > 24*time.Second {
				t.Errorf("took %v, want 20 s and a little", r.took)
			}
		})
		t.Run("dead syndic", func(t *testing.T) {
			low.crash()
			r := top.salt("*", "test.ping")
			r.want(t, "direct", true)
			if r.code != 1 || !strings.Contains(r.errOut, "Node node did not answer") {
				t.Errorf("exit %d, or nothing is said of the syndic: %s", r.code, r.text())
			}
			if !strings.Contains(r.out, `"ours": "Minion did not return. [Node did not answer] (behind node)`) {
				t.Errorf("the minions behind it are not named: %s", r.text())
			}
		})
	})
}

// quick fails when a command has waited for something after the last return, such as
// syndic_wait (5 s). How long minions of Salt's take is their affair.
func quick(t *testing.T, m *node, mark int, r result) {
	t.Helper()
	if _, last := span(t, m, mark); r.end.Sub(last) > 3*time.Second {
		t.Errorf("%s: took %v, %v of it after the last return", r.line, r.took, r.end.Sub(last))
	}
}
