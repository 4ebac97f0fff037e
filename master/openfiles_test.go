package master

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/zmtp"
)

// At its start a master compares the open files it may have with what its accepted keys
// need on both ports, and names the number to set. Both ports share what there is. 40
// keys here, and a system that gives 570 files, 2 fewer than needed with the reserve.
func TestTooFewOpenFiles(t *testing.T) {
	const keys = 40
	need := 2*keys + zmtp.Reserve
	for _, c := range []struct {
		what   string
		given  int
		change func(*config.Master)
		want   []string // of the one warning
	}{
		{"enough", need, nil, nil},
		{"too few", need - 22, nil, []string{"LimitNOFILE", "keys=40", "limit=570", fmt.Sprint("needed=", need), "set=1024"}},
		{"an option", 100_000, func(c *config.Master) { c.MaxConnections = 39 }, []string{"max_connections=39", "set=40"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			log := &paper{}
			r := newRig(t, func(m *config.Master) {
				m.MaxOpenFiles = 256
				if c.change != nil {
					c.change(m)
				}
			})
			for i := range keys {
				r.accept(fmt.Sprintf("m%02d", i), "minion")
			}
			r.opts.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
			asked := uint64(0)
			r.opts.raiseFiles = func(n uint64) (uint64, error) { asked = n; return uint64(c.given), nil }
			r.open()
			lines := log.with("minions will be refused")
			if len(lines) != min(len(c.want), 1) {
				t.Fatalf("warnings: %s", lines)
			}
			for _, want := range c.want {
				if !strings.Contains(lines[0], want) {
					t.Errorf("%s is not in %s", want, lines[0])
				}
			}
			if asked != uint64(need) {
				t.Errorf("%d files were asked for, %d are needed", asked, need)
			}
			if n := r.room.Total(); n != max(c.given-zmtp.Reserve, 128) {
				t.Errorf("room for %d connections", n)
			}
		})
	}
}
