//go:build saltpeer

package interop

import (
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// TestOurForwarderBesideRealMaster has our forwarder in the place of a salt-syndic:
// the master beside it is Salt's, the top ours and then Salt's.
func TestOurForwarderBesideRealMaster(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		for _, c := range []struct {
			name string
			top  *peer
		}{{"ours above", nil}, {"Salt above", p}} {
			t.Run(c.name, func(t *testing.T) {
				w := newWorld(t)
				top := w.master(c.top, "top", "order_masters: True")
				low := w.forwarded(p, "node", top)
				real := w.minion(p, "real", low)
				top.accept("node")
				low.accept("real")
				top.joined(0, "syndic", "node")
				low.joined(0, "minion", "real")
				mark := top.events.mark()
				r := top.salt("*", "test.ping")
				complete(t, r, 0, "real")
				lastReturn(t, top, mark, r)
				r = top.salt("real", "cmd.run", "echo no; exit 3", "python_shell=True")
				complete(t, r, 1, "real")
				r.want(t, "real", "no")

				// Salt's own syndic would have to be restarted with the master beside it.
				low.Kill("master")
				low.startOne("master")
				if !waiting.Became(60*time.Second, func() bool { return strings.Contains(top.salt("-L", "real", "test.ping").out, "true") }) {
					t.Error("no answer after the restart of the master below")
				}

				// A job that lasts is asked after through the forwarder.
				complete(t, top.salt("-t", "2", "real", "test.sleep", "20"), 0, "real")
				real.crash()
				r = top.salt("*", "test.ping")
				if r.code != 1 || !strings.Contains(r.text(), "did not return") {
					t.Errorf("exit %d\n%s", r.code, r.text())
				}
				t.Logf("dead minion: %v", r.took)
			})
		}
	})
}
