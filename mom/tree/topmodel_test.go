package tree

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/momtree/mom/topology"
)

func work(seconds int, returned int) Work {
	return Work{
		At: at.Add(time.Duration(seconds) * time.Second), Returns: uint64(1000 + returned), Closed: 5, Inflight: 2,
		Jobs: []Job{
			{JID: "20261121000000000001", Fun: "cmd.run", Target: "web-*", User: "root", Age: time.Minute, Expected: 10, Returned: returned, Waits: 10 - returned, For: "syndic-a/web-01"},
			{JID: "20261121000000000002", Fun: "test.ping", Target: "*", User: "joe", Age: time.Second, Expected: 3, Returned: 1, Failed: 1, Missing: 1},
		},
		Nodes: []Node{{Path: "top", State: topology.Up, Vitals: topology.Vitals{Pending: returned}}, {Path: "top/a", State: topology.Down}},
	}
}

func TestTop(t *testing.T) {
	m := feed(t, NewTop(nil, clock), tea.WindowSizeMsg{Width: 140, Height: 20})
	if !strings.Contains(plain(m), "is being asked") {
		t.Error("nothing is said while nothing is known")
	}
	m = feed(t, m, work(0, 2), work(2, 8))
	text := plain(m)
	for _, want := range []string{"2 jobs in flight", "3.0 returns/s", "8/10", "2/3", "syndic-a/web-01", "cmd.run", "+3.0", "down"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown in\n%s", want, text)
		}
	}
	order := func(m tea.Model) string { return m.(Top).work.Jobs[0].Fun }
	for _, want := range []string{"cmd.run", "test.ping", "cmd.run", "cmd.run", "test.ping"} { // oldest, missing, rate, waiting, newest
		if m = feed(t, m, keys("s")...); order(m) != want {
			t.Errorf("order %s: %s is first, want %s", topOrders[m.(Top).sort], order(m), want)
		}
	}
	if m = feed(t, m, keys("jjj")...); m.(Top).cursor != 1 {
		t.Errorf("the cursor is at %d", m.(Top).cursor)
	}
	m = feed(t, m, Work{Err: errors.New("the master is away")})
	if text := plain(m); !strings.Contains(text, "figures are 10s old: the master is away") || !strings.Contains(text, "cmd.run") {
		t.Errorf("the last reading is gone:\n%s", text)
	}
	if m = feed(t, m, work(3, 1)); m.(Top).returns != 0 {
		t.Error("a counter that has fallen gives a rate")
	}
	if n := strings.Count(plain(m), "\n") + 1; n > 20 {
		t.Errorf("%d lines are drawn in a window of 20", n)
	}
	if m = feed(t, m, keys("?")...); !strings.Contains(plain(m), "DRIFT is") {
		t.Error("no help")
	}
	if _, cmd := m.Update(keys("q")[0]); cmd == nil {
		t.Error("q does not quit")
	}
}
