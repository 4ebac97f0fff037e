package commands

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/telemetry"
)

// Attack: a minion keeps pushing files that are refused. The log reports it at intervals; the
// metrics count every file.
func TestInbox_Refused(t *testing.T) {
	var log bytes.Buffer
	c := config.DefaultMaster()
	c.Cachedir = t.TempDir()
	stats := &telemetry.Counters{}
	box := &inbox{files: files.NewInbox(c), stats: stats, log: slog.New(slog.NewTextHandler(&log, nil)), now: func() time.Time { return time.Unix(1e9, 0) }}
	load, err := wire.Encode(wire.NewMap("path", []any{"x"}, "loc", 0, "data", "x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"m1", "m1", "m1", "m2"} {
		if v, err := box.take(t.Context(), &server.Request{ID: id, Load: load}); v != false || err != nil {
			t.Errorf("%v, %v", v, err)
		}
	}
	if n := strings.Count(log.String(), "pushed file rejected"); n != 2 || stats.Refused.Load() != 4 {
		t.Errorf("%d lines, %d counted", n, stats.Refused.Load())
	}
}
