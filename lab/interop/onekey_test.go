//go:build saltpeer

package interop

import (
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// TestRealSyndicAndMinionOfOneKey has a syndic of Salt's and a minion of Salt's on one
// host, with one id and key as their shared configuration gives it to them, both below a
// top of ours. With the syndic first both work; with the minion first the syndic is
// refused, which the tree shows, until an operator has said that it is both.
func TestRealSyndicAndMinionOfOneKey(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		for _, order := range [][]string{{"syndic", "minion"}, {"minion", "syndic"}} {
			t.Run(order[0]+" first", func(t *testing.T) {
				w := newWorld(t)
				top := w.master(nil, "top", "order_masters: True")
				host := w.shared(p, "host", top)
				host.startOne("master")
				w.minion(p, "real", host)
				host.accept("real")
				host.joined(0, "minion", "real")
				host.startOne(order[0])
				top.accept("host")
				top.joined(0, order[0], "host")
				host.startOne(order[1])
				if order[1] == "minion" {
					top.joined(0, "minion", "host")
				} else {
					refusedAndAdmitted(t, top)
				}
				waiting.Within(t, time.Minute, "the minion in the tree", func() bool {
					return strings.Contains(top.run(nil, "tree").out, "host up")
				})
				waiting.Within(t, 2*time.Minute, "an answer of both", func() bool { return top.salt("*", "test.ping").ids(t) == "host real" })
				complete(t, top.salt("*", "test.ping"), 0, "host real")
				complete(t, top.salt("-L", "host,real", "test.ping"), 0, "host real")
				// It is waited for beyond syndic_wait (5 s).
				complete(t, top.salt("-t", "30", "host", "test.sleep", "12"), 0, "host")
				complete(t, top.salt("-t", "30", "real", "test.sleep", "12"), 0, "real")
				if r := top.run(nil, "tree", "--problems"); !strings.Contains(r.out, "No problems") {
					t.Errorf("%s", r.text())
				}
			})
		}
	})
}

// refusedAndAdmitted awaits that the tree of a master shows the syndic host as refused,
// and admits it.
func refusedAndAdmitted(t *testing.T, top *node) {
	t.Helper()
	waiting.Within(t, time.Minute, "the refused syndic in the tree", func() bool {
		return strings.Contains(top.run(nil, "tree", "--problems").out, "mom node admit host")
	})
	complete(t, top.salt("*", "test.ping"), 0, "host")
	if r := top.run(nil, "node", "admit", "host"); r.code != 0 {
		t.Fatalf("node admit: exit %d\n%s", r.code, r.text())
	}
}
