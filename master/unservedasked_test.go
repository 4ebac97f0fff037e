package master

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// A request that is not served gets Salt's answer, and the log names the minion.
func TestUnserved_LogNamesWhoAsks(t *testing.T) {
	r := newRig(t)
	var log logged
	r.opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	r.start()
	m := r.minion("m1", "minion", "minion")
	if got := m.must(wire.NewMap("cmd", "verify_minion")); got != "" {
		t.Errorf("%v", got)
	}
	const want = "what=verify_minion cmd=verify_minion ids=m1"
	eventually(t, want, func() bool { return strings.Contains(log.text(), want) })
}
