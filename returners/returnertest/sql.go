package returnertest

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// SQLServer is a server of SQL databases.
type SQLServer interface {
	// Database creates an empty database and returns its name.
	Database(tb testing.TB) string
	// Open connects to a database until the test ends.
	Open(tb testing.TB, database string) *sql.DB
	// Exec runs statements.
	Exec(tb testing.TB, database, statements string, args ...any)
}

// SQLStore is a returner for SQL.
type SQLStore interface {
	returners.Returner
	returners.Shared
}

// SQL is a returner for SQL and its server.
type SQL struct {
	Server SQLServer
	// Open opens the returner on a database until the test ends.
	Open func(t *testing.T, database string, o SQLOptions) SQLStore
	// Embedded opens an empty job store, with an outbox, until the test ends.
	Embedded func(t *testing.T) returners.JobStore
	// Large is the size of a return that the server still takes, in bytes.
	Large int
	// TooLong is the code of the server's error for a text that is too long for its column.
	TooLong string
	// OldTime is SQL for the time 25 hours ago.
	OldTime string
}

// SQLOptions are options of a returner for SQL.
type SQLOptions struct {
	ArchiveJobs bool
	Now         func() time.Time // nil: time.Now
}

// RunSQL tests the tables of a returner for SQL, which other programs read.
func RunSQL(t *testing.T, s SQL) {
	for name, test := range map[string]func(*testing.T, SQL){
		"LargeReturn":          testLarge,
		"TwoMasters":           testTwoMasters,
		"StatesFromTiers":      testStatesFromTiers,
		"StatesOfMovedMinion":  testStatesOfMoved,
		"ArchiveJobs":          testArchive,
		"AgesByDatabaseClock":  testAges,
		"NewerSchema":          testNewerSchema,
		"DrainIsolatesPoison":  testPoison,
		"DrainCarriesAllKinds": testAllKinds,
	} {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
}

// Count returns the number that a query finds.
func Count(tb testing.TB, db *sql.DB, query string, args ...any) (n int64) {
	tb.Helper()
	if err := db.QueryRowContext(tb.Context(), query, args...).Scan(&n); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return n
}

func testLarge(t *testing.T, s SQL) {
	st := s.Open(t, s.Server.Database(t), SQLOptions{})
	const text = "0123456789abcdé "
	big := strings.Repeat(text, s.Large/len(text))
	for range 2 {
		must(t, st.SaveReturns(t.Context(), []returners.Return{Return(t, 1, "small", "cmd.run", "x"), Return(t, 1, "big", "cmd.run", big)}))
	}
	rets := get[[]returners.Return](t)(st.GetReturns(t.Context(), JID(1)))
	if len(rets) != 2 {
		t.Fatalf("%d returns", len(rets))
	}
	if got, err := wire.Str(rets[0].Value); err != nil || got != big {
		t.Errorf("%d bytes came back, %v; want %d", len(got), err, len(big))
	}
}

func testNewerSchema(t *testing.T, s SQL) {
	name := s.Server.Database(t)
	must(t, s.Open(t, name, SQLOptions{}).Ping(t.Context()))
	s.Server.Exec(t, name, "INSERT INTO mom_schema (version) VALUES (99)")
	if err := s.Open(t, name, SQLOptions{}).Ping(t.Context()); !errors.Is(err, returners.ErrNewerSchema) || !strings.Contains(err.Error(), "99") {
		t.Errorf("got %v", err)
	}
}

// Two of 700 rows cannot be stored: they are set aside with the reason, the others arrive.
func testPoison(t *testing.T, s SQL) {
	name := s.Server.Database(t)
	from, to := s.Embedded(t), s.Open(t, name, SQLOptions{})
	longID := strings.Repeat("x", 300) // over varchar(255)
	var rets []returners.Return
	for i := range 700 {
		rets = append(rets, Return(t, 1, Minion(i), "test.ping", true))
	}
	rets[77] = Return(t, 1, longID, "test.ping", true)
	rets[500].Full = []byte{0x81, 0xa1} // broken msgpack: cannot become JSON
	Owe(t, from, rets...)
	d := returners.NewDrain(from, to, returners.DrainConfig{Log: slog.New(slog.DiscardHandler)})
	for Depth(t, from, returners.DestMySQL) > 0 {
		get[int](t)(d.Step(t.Context()))
	}
	if n := Count(t, s.Server.Open(t, name), "SELECT COUNT(*) FROM salt_returns"); n != 698 {
		t.Errorf("%d rows arrived, want 698", n)
	}
	aside, err := from.OutboxRead(t.Context(), returners.Rejected(returners.DestMySQL), 0, 10, 0)
	if err != nil || len(aside) != 2 {
		t.Fatalf("set aside: %d, %v", len(aside), err)
	}
	if aside[0].ID != longID || !strings.Contains(aside[0].Error, s.TooLong) || !strings.Contains(aside[1].Error, "JSON") {
		t.Errorf("reasons: %q and %q", aside[0].Error, aside[1].Error)
	}
	if st := d.Stats(); st.Rejected != 2 || st.Errors["data"] != 2 || st.Delivered[returners.KindReturn] != 698 {
		t.Errorf("stats: %+v", st)
	}
}

func testAllKinds(t *testing.T, s SQL) {
	name := s.Server.Database(t)
	from, to := s.Embedded(t), s.Open(t, name, SQLOptions{})
	event, err := returners.EncodeEvent(returners.Event{Key: "top/1", Tag: "salt/job/x/new", Data: Encode(t, "é"), MasterID: "top", At: Start})
	must(t, err)
	const dest = returners.DestMySQL
	commit(t, from, returners.Batch{
		Loads:        []returners.Load{Load(t, 1, "test.ping", "*")},
		Expectations: []returners.Expectation{{JID: JID(1), Node: "syn-a", Minions: []string{"a", "b"}, Missing: map[string]string{"c": "disconnected"}}},
		Returns:      []returners.Return{Return(t, 1, "a", "test.ping", true)},
		Outbox: []returners.Item{
			{Dest: dest, Kind: returners.KindReturn, JID: JID(1), ID: "a"},
			{Dest: dest, Kind: returners.KindEvent, Payload: event},
			{Dest: dest, Kind: returners.KindExpectation, JID: JID(1), ID: "syn-a"},
			{Dest: dest, Kind: returners.KindLoad, JID: JID(1)},
		},
	})
	if n, err := returners.NewDrain(from, to, returners.DrainConfig{Log: slog.New(slog.DiscardHandler)}).Step(t.Context()); n != 4 || err != nil {
		t.Fatalf("%d rows, %v", n, err)
	}
	db := s.Server.Open(t, name)
	for what, c := range map[string]struct {
		query string
		want  []string
	}{
		"minions without a return, as in SCHEMA.md": {"SELECT e.id FROM mom_expected e LEFT JOIN salt_returns r ON r.jid = e.jid AND r.id = e.id " +
			"WHERE e.jid = '" + JID(1) + "' AND r.id IS NULL ORDER BY e.id", []string{"b", "c"}},
		"asked, missing and returned by node": {"SELECT e.node, COUNT(*), COUNT(e.missing), COUNT(r.id) FROM mom_expected e " +
			"LEFT JOIN salt_returns r ON r.jid = e.jid AND r.id = e.id WHERE e.jid = '" + JID(1) + "' GROUP BY e.node", []string{"syn-a 3 1 1"}},
		"events": {"SELECT tag, data, master_id FROM salt_events", []string{`salt/job/x/new "é" top`}},
	} {
		if diff := cmp.Diff(c.want, lines(t, db, c.query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if l, ok, err := to.GetLoad(context.Background(), JID(1)); err != nil || !ok || l.Fun() != "test.ping" {
		t.Errorf("load: %+v, %v, %v", l, ok, err)
	}
}

// lines returns the rows of a query, their values separated by spaces.
func lines(t *testing.T, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	must(t, err)
	defer rows.Close()
	columns := get[[]string](t)(rows.Columns())
	for rows.Next() {
		texts := make([]string, len(columns))
		into := make([]any, len(columns))
		for i := range texts {
			into[i] = &texts[i]
		}
		must(t, rows.Scan(into...))
		out = append(out, strings.Join(texts, " "))
	}
	must(t, rows.Err())
	return out
}
