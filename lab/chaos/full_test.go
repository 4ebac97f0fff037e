//go:build linux

package chaos

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/returners"
	inmemory "github.com/momtree/mom/returners/memory"
)

// A full outbox is a fault of its node while what it waits for was hit, or was a moment
// ago, and not otherwise.
func TestExplain(t *testing.T) {
	hitAt := func(from, to float64, f Fault) hit { return hit{f, sec(from), sec(to)} }
	boxOf := func(node string, sql bool, from, to float64) full { return full{node, sql, sec(from), sec(to)} }
	cut := Weather{Cut: true}
	for name, tt := range map[string]struct {
		hits  []hit
		boxes []full
		want  string // node from-to of each
	}{
		"nothing was hit":              {boxes: []full{boxOf("a", true, 0, 9)}},
		"the database":                 {hits: []hit{hitAt(-1, 8, Fault{What: SQLKill, Who: "sql"})}, boxes: []full{boxOf("a", true, 0, 9)}, want: "a 0-9"},
		"the way to it":                {hits: []hit{hitAt(-1, 8, Fault{What: Partition, Who: "sql", Peer: "a", Weather: cut})}, boxes: []full{boxOf("a", true, 0, 9)}, want: "a 0-9"},
		"another's way to it":          {hits: []hit{hitAt(-1, 8, Fault{What: Partition, Who: "sql", Peer: "b", Weather: cut})}, boxes: []full{boxOf("a", true, 0, 9)}},
		"long ago":                     {hits: []hit{hitAt(-30, -16, Fault{What: SQLKill, Who: "sql"})}, boxes: []full{boxOf("a", true, 0, 9)}},
		"later":                        {hits: []hit{hitAt(10, 16, Fault{What: SQLKill, Who: "sql"})}, boxes: []full{boxOf("a", true, 0, 9)}},
		"it stays full":                {hits: []hit{hitAt(-1, 8, Fault{What: SQLPause, Who: "sql"})}, boxes: []full{boxOf("a", true, 0, 90)}, want: "a 0-23"},
		"the database, above":          {hits: []hit{hitAt(-1, 8, Fault{What: SQLKill, Who: "sql"})}, boxes: []full{boxOf("c", false, 0, 9)}},
		"the parent is full":           {hits: []hit{hitAt(-1, 8, Fault{What: SQLKill, Who: "sql"})}, boxes: []full{boxOf("c", false, 5, 12), boxOf("a", true, 0, 9)}, want: "a 0-9, c 5-12"},
		"the parent was killed":        {hits: []hit{hitAt(-1, 8, Fault{What: Kill, Who: "a"})}, boxes: []full{boxOf("c", false, 0, 9)}, want: "c 0-9"},
		"its minion was killed":        {hits: []hit{hitAt(-1, 8, Fault{What: Kill, Who: "mc1"})}, boxes: []full{boxOf("c", false, 0, 9)}},
		"the way to the parent":        {hits: []hit{hitAt(-1, 8, Fault{What: OneWay, Who: "a", Peer: "c", Weather: cut})}, boxes: []full{boxOf("c", false, 0, 9)}, want: "c 0-9"},
		"the way to its minion":        {hits: []hit{hitAt(-1, 8, Fault{What: Partition, Who: "mc1", Peer: "c", Weather: cut})}, boxes: []full{boxOf("c", false, 0, 9)}},
		"a drain of the parent":        {hits: []hit{hitAt(-1, 8, Fault{What: Drain, Who: "a"})}, boxes: []full{boxOf("c", false, 0, 9)}},
		"the parent waits for nothing": {boxes: []full{boxOf("c", false, 5, 12), boxOf("a", true, 0, 9)}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, h := range explain(tt.hits, tt.boxes) {
				got = append(got, h.Who+" "+secs(h.from)+"-"+secs(h.to))
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("explained %v, want %q", got, tt.want)
			}
		})
	}
}

func secs(t time.Time) string { return strings.TrimSuffix(t.Sub(day).String(), "s") }

// TestFullness reads a console: a line comes in two parts, and the daemon is killed while
// its outbox is full.
func TestFullness(t *testing.T) {
	begins := func(of string) string {
		return `[ERROR   ] outbox full, refusing returns and jobs dest="` + of + `" err="the outbox is full"` + "\n"
	}
	const sql, above = "the database of mysql.host", "the master above"
	text := begins(sql) + begins(above) + `[INFO    ] outbox has room, accepting returns and jobs dest="` + above + `" rows=0` + "\n"
	f := &fullness{node: "a"}
	read := func(s string, at float64) {
		t.Helper()
		if err := f.read(strings.NewReader(s), sec(at-1), sec(at)); err != nil {
			t.Fatal(err)
		}
	}
	read(text[:20], 1)
	if len(f.all()) != 0 {
		t.Errorf("after half a line: %v", f.all())
	}
	read(text, 2)
	read(text, 3)
	text += "[INFO    ] Starting the Salt Syndic version=devel\n"
	read(text, 4)
	got := f.all()
	if len(got) != 2 || got[0] != (full{"a", false, sec(1), sec(2)}) || got[1] != (full{"a", true, sec(1), sec(4)}) {
		t.Errorf("read %v", got)
	}
}

// The log lines are those of the product: a store whose outbox is full, for the database or a parent, and then has room.
func TestFullness_OfAStore(t *testing.T) {
	const above = "parent:above"
	for _, sql := range []bool{true, false} {
		var log strings.Builder
		o := jobstore.Options{Local: inmemory.Open(time.Now), MaxRows: 1, Log: slog.New(slog.NewTextHandler(&log, nil))}
		dest := above
		if sql {
			dest = returners.DestMySQL
			o.OpenRemote = func(context.Context) (returners.Returner, error) { return nil, errors.New("not in this test") }
		} else {
			o.Parent = above
		}
		s := jobstore.New(o)
		save := func(id string) {
			_, err := s.SaveReturns(t.Context(), []returners.Return{{JID: "20240102030405678901", ID: id, Fun: "test.ping", Full: wire.Raw{0x80}}})
			if err != nil && !errors.Is(err, jobstore.ErrOutboxFull) {
				t.Fatal(err)
			}
		}
		f := &fullness{node: "a"}
		read := func(at float64) []full {
			if err := f.read(strings.NewReader(log.String()), sec(at-1), sec(at)); err != nil {
				t.Fatal(err)
			}
			return f.all()
		}
		save("m1")
		save("m2")
		if got := read(2); len(got) != 1 || got[0] != (full{node: "a", sql: sql, from: sec(1)}) {
			t.Errorf("at the bound: %v, read from\n%s", got, log.String())
		}
		items, err := s.Outbox().OutboxRead(t.Context(), dest, 0, 10, 0)
		if err != nil || len(items) != 1 {
			t.Fatalf("%d rows, %v", len(items), err)
		}
		if err := s.Outbox().OutboxAck(t.Context(), dest, []int64{items[0].Seq}); err != nil {
			t.Fatal(err)
		}
		save("m3")
		if got := read(4); len(got) != 1 || got[0] != (full{"a", sql, sec(1), sec(4)}) {
			t.Errorf("with room: %v, read from\n%s", got, log.String())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
