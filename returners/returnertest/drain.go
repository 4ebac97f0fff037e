package returnertest

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners"
)

// Owe commits returns with outbox rows for the database of jobs.
func Owe(t *testing.T, s returners.JobStore, rets ...returners.Return) {
	t.Helper()
	b := returners.Batch{Returns: rets}
	for i := range rets {
		b.Outbox = append(b.Outbox, returners.Item{Dest: returners.DestMySQL, Kind: returners.KindReturn, JID: rets[i].JID, ID: rets[i].ID})
	}
	commit(t, s, b)
}

// Depth returns how many rows wait for a destination.
func Depth(t *testing.T, s returners.JobStore, dest string) int64 {
	t.Helper()
	n, _, err := s.OutboxDepth(t.Context(), dest)
	must(t, err)
	return n
}

// Restarter is a server that a test breaks.
type Restarter interface {
	Start() error
	Stop() error
	Kill() error
}

// RunDrain drains 6,000 returns from an outbox into a server that is killed on the way, stopped, and started again. All
// arrive, once.
func RunDrain(t *testing.T, server Restarter, from returners.JobStore, to returners.Returner) {
	d := returners.NewDrain(from, to, returners.DrainConfig{BatchRows: 100, BackoffMin: 5 * time.Millisecond, BackoffMax: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	defer func() {
		cancel()
		must(t, <-done)
	}()
	const total = 6000
	sent := 0
	send := func(n int) {
		for range n / 100 {
			rets := make([]returners.Return, 100)
			for i := range rets {
				rets[i] = Return(t, sent/1000, fmt.Sprintf("m%d", sent), "test.echo", sent)
				sent++
			}
			Owe(t, from, rets...)
			d.Wake()
		}
	}
	delivered := func() uint64 { return d.Stats().Delivered[returners.KindReturn] }
	send(2000)
	waiting.Until(t, "the first rows arrive", func() bool { return delivered() > 200 })
	must(t, server.Kill()) // in the middle of the drain
	send(2000)
	waiting.Until(t, "the outage is noticed", func() bool { return d.Stats().Down })
	if n := Depth(t, from, returners.DestMySQL); n < 2000 {
		t.Errorf("only %d rows wait while the server is down", n)
	}
	must(t, server.Start())
	waiting.Until(t, "rows arrive again", func() bool { return delivered() > 2500 })
	must(t, server.Stop())
	send(2000)
	must(t, server.Start())
	waiting.Until(t, "the outbox is empty", func() bool { return Depth(t, from, returners.DestMySQL) == 0 })
	n := 0
	for job := range total / 1000 {
		rets := get[[]returners.Return](t)(to.GetReturns(t.Context(), JID(job)))
		for _, r := range rets {
			if "m"+JSON(t, r.Value) != r.ID {
				t.Errorf("%s holds %s", r.ID, JSON(t, r.Value))
			}
		}
		n += len(rets)
	}
	if st := d.Stats(); n != total || st.Errors["connection"] == 0 || st.Rejected != 0 || st.LastError == "" {
		t.Errorf("%d returns stored of %d; %+v", n, total, st)
	}
}
