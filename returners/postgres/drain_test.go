package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/postgres/pgtest"
	"github.com/momtree/mom/returners/returnertest"
	"github.com/momtree/mom/returners/sqlite"
)

func embedded(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "jobs.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// owe commits returns with outbox rows for the database.
func owe(t *testing.T, s *sqlite.Store, rets ...returners.Return) {
	t.Helper()
	b := returners.Batch{Returns: rets}
	for i := range rets {
		b.Outbox = append(b.Outbox, returners.Item{Dest: returners.DestMySQL, Kind: returners.KindReturn, JID: rets[i].JID, ID: rets[i].ID})
	}
	if _, err := s.Commit(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func depth(t *testing.T, s *sqlite.Store, dest string) int64 {
	t.Helper()
	n, _, err := s.OutboxDepth(t.Context(), dest)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func run(t *testing.T, d *returners.Drain) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestDrainOutlivesTheDatabase(t *testing.T) {
	srv := pgtest.Start(t, pgtest.Config{})
	name := srv.Database(t)
	from := embedded(t)
	to := open(t, srv, name, func(o *Options) { o.ConnectTimeout = time.Minute })
	d := returners.NewDrain(from, to, returners.DrainConfig{BatchRows: 100, BackoffMin: 5 * time.Millisecond, BackoffMax: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	run(t, d)

	const total = 6000
	sent := 0
	send := func(n int) {
		for range n / 100 {
			rets := make([]returners.Return, 100)
			for i := range rets {
				rets[i] = returnertest.Return(t, sent/1000, fmt.Sprintf("m%d", sent), "test.echo", sent)
				sent++
			}
			owe(t, from, rets...)
			d.Wake()
		}
	}
	delivered := func() uint64 { return d.Stats().Delivered[returners.KindReturn] }

	send(2000)
	waiting.Until(t, "the first rows arrive", func() bool { return delivered() > 200 })
	if err := srv.Kill(); err != nil { // in the middle of the drain
		t.Fatal(err)
	}
	send(2000)
	waiting.Until(t, "the outage is noticed", func() bool { return d.Stats().Down })
	if n := depth(t, from, returners.DestMySQL); n < 2000 {
		t.Errorf("only %d rows wait while the database is down", n)
	}
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	waiting.Until(t, "rows arrive again", func() bool { return delivered() > 2500 })
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	send(2000)
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	waiting.Until(t, "the outbox is empty", func() bool { return depth(t, from, returners.DestMySQL) == 0 })

	db := srv.Open(t, name)
	if n := count(t, db, "SELECT COUNT(*) FROM salt_returns"); n != total {
		t.Errorf("%d rows in the database, want %d", n, total)
	}
	if n := count(t, db, "SELECT COUNT(DISTINCT jid || id) FROM salt_returns WHERE \"return\"::text = substring(id FROM 2)"); n != total {
		t.Errorf("%d rows hold their own value, want %d", n, total)
	}
	st := d.Stats()
	if st.Errors[ClassConnection] == 0 || st.Rejected != 0 || st.LastError == "" {
		t.Errorf("stats: %+v", st)
	}
}

func TestDrainIsolatesPoison(t *testing.T) {
	srv := server(t)
	name := srv.Database(t)
	from, to := embedded(t), open(t, srv, name)
	longID := strings.Repeat("x", 300) // over varchar(255)
	var rets []returners.Return
	for i := range 700 {
		rets = append(rets, returnertest.Return(t, 1, returnertest.Minion(i), "test.ping", true))
	}
	rets[77] = returnertest.Return(t, 1, longID, "test.ping", true)
	rets[500].Full = []byte{0x81, 0xa1} // broken msgpack: cannot become JSON
	owe(t, from, rets...)
	d := returners.NewDrain(from, to, returners.DrainConfig{Log: slog.New(slog.DiscardHandler)})
	for depth(t, from, returners.DestMySQL) > 0 {
		if _, err := d.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(t, srv.Open(t, name), "SELECT COUNT(*) FROM salt_returns"); n != 698 {
		t.Errorf("%d rows arrived, want 698", n)
	}
	aside, err := from.OutboxRead(t.Context(), returners.Rejected(returners.DestMySQL), 0, 10, 0)
	if err != nil || len(aside) != 2 {
		t.Fatalf("set aside: %d, %v", len(aside), err)
	}
	if aside[0].ID != longID || !strings.Contains(aside[0].Error, "22001") || !strings.Contains(aside[1].Error, "JSON") {
		t.Errorf("reasons: %q and %q", aside[0].Error, aside[1].Error)
	}
	if st := d.Stats(); st.Rejected != 2 || st.Errors[ClassData] != 2 || st.Delivered[returners.KindReturn] != 698 {
		t.Errorf("stats: %+v", st)
	}
}

func TestDrainCarriesEveryKind(t *testing.T) {
	srv := server(t)
	name := srv.Database(t)
	from, to := embedded(t), open(t, srv, name)
	event, err := returners.EncodeEvent(returners.Event{Key: "top/1", Tag: "salt/job/x/new", Data: returnertest.Encode(t, "é"), MasterID: "top", At: returnertest.Start})
	if err != nil {
		t.Fatal(err)
	}
	exp := returners.Expectation{JID: returnertest.JID(1), Node: "syn-a", Minions: []string{"a", "b"}, Missing: map[string]string{"c": "disconnected"}}
	dest := returners.DestMySQL
	if _, err := from.Commit(t.Context(), returners.Batch{
		Loads:        []returners.Load{returnertest.Load(t, 1, "test.ping", "*")},
		Expectations: []returners.Expectation{exp},
		Returns:      []returners.Return{returnertest.Return(t, 1, "a", "test.ping", true)},
		Outbox: []returners.Item{
			{Dest: dest, Kind: returners.KindReturn, JID: returnertest.JID(1), ID: "a"},
			{Dest: dest, Kind: returners.KindEvent, Payload: event},
			{Dest: dest, Kind: returners.KindExpectation, JID: returnertest.JID(1), ID: "syn-a"},
			{Dest: dest, Kind: returners.KindLoad, JID: returnertest.JID(1)},
		},
	}); err != nil {
		t.Fatal(err)
	}
	d := returners.NewDrain(from, to, returners.DrainConfig{Log: slog.New(slog.DiscardHandler)})
	if n, err := d.Step(t.Context()); n != 4 || err != nil {
		t.Fatalf("%d rows, %v", n, err)
	}
	db := srv.Open(t, name)
	// The first query of SCHEMA.md, and counts of the second.
	if n := count(t, db, "SELECT COUNT(*) FROM mom_expected e LEFT JOIN salt_returns r ON r.jid = e.jid AND r.id = e.id "+
		"WHERE e.jid = $1 AND r.id IS NULL", returnertest.JID(1)); n != 2 {
		t.Errorf("%d minions without a return, want b and c", n)
	}
	var asked, down, returned int
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*), COUNT(e.missing), COUNT(r.id) FROM mom_expected e "+
		"LEFT JOIN salt_returns r ON r.jid = e.jid AND r.id = e.id WHERE e.jid = $1 GROUP BY e.node", returnertest.JID(1)).Scan(&asked, &down, &returned); err != nil ||
		asked != 3 || down != 1 || returned != 1 {
		t.Errorf("%d asked, %d down, %d returned, %v", asked, down, returned, err)
	}
	if n := count(t, db, "SELECT COUNT(*) FROM salt_events WHERE tag = 'salt/job/x/new' AND data::text = '\"é\"' AND master_id = 'top'"); n != 1 {
		t.Errorf("%d events", n)
	}
	if n := count(t, db, "SELECT COUNT(*) FROM jids WHERE load->>'fun' = 'test.ping'"); n != 1 {
		t.Errorf("%d jobs", n)
	}
}
