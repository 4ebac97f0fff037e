package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/zmtp"
)

// At its start a master compares its limit of open files with the need of its accepted keys on both
// ports, and logs the number to set. Both ports share the limit. Here there are 40 keys and a limit
// of 570 files, 2 fewer than needed with the reserve.
func TestTooFewOpenFiles(t *testing.T) {
	const keys = 40
	need := 2*keys + zmtp.Reserve
	for _, c := range []struct {
		what   string
		given  int
		change func(*config.Master)
		want   []string // in the one warning
	}{
		{"enough", need, func(*config.Master) {}, nil},
		{"too few", need - 22, func(*config.Master) {}, []string{"LimitNOFILE", "keys=40", "limit=570", fmt.Sprint("needed=", need), "set=1024"}},
		{"an option", 100_000, func(c *config.Master) { c.MaxConnections = 39 }, []string{"max_connections=39", "set=40"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			o := PortsOptions{Config: config.DefaultMaster(), Accepted: keys}
			o.Config.MaxOpenFiles = 256
			c.change(o.Config)
			var log bytes.Buffer
			o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
			asked := uint64(0)
			o.Raise = func(n uint64) (uint64, error) { asked = n; return uint64(c.given), nil }
			n := portsRoom(o).Total()
			if lines := strings.Count(log.String(), "level=WARN"); lines != min(len(c.want), 1) {
				t.Fatalf("warnings: %s", log.String())
			}
			for _, want := range c.want {
				if !strings.Contains(log.String(), want) {
					t.Errorf("%s is not in %s", want, log.String())
				}
			}
			if asked != uint64(need) {
				t.Errorf("%d files were asked for, %d are needed", asked, need)
			}
			if n != max(c.given-zmtp.Reserve, 128) {
				t.Errorf("room for %d connections", n)
			}
		})
	}
}

func TestHeartbeatsCanBeSwitchedOff(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: never, time.Second: time.Second, 10 * time.Minute: 10 * time.Minute} {
		if got := orNever(given); got != want {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
	}
}
