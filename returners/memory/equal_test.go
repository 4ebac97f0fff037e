package memory

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
	"github.com/momtree/mom/returners/sqlite"
)

var ctx = context.Background()

// checks is the number of histories to try unless -rapid.checks is set. Each one opens a
// real file, and the race detector makes that slow.
const checks = "25"

// The embedded store and this one give the same results for any history of operations.
func TestEqualToTheEmbeddedStore(t *testing.T) {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		check(t, flag.Set("rapid.checks", checks))
	}
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(base, "")
		check(t, err)
		now := returnertest.Start
		clock := func() time.Time { return now }
		real, err := sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(dir, "jobs.db"), Synchronous: "normal", Now: clock})
		check(t, err)
		defer real.Close()
		ours := Open(clock)
		dests := []string{"parent:top", returners.DestMySQL}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, "pause")) * time.Second)
			dest := rapid.SampledFrom(dests).Draw(t, "dest")
			switch rapid.SampledFrom([]string{"commit", "commit", "commit", "ack", "reject", "move", "owe", "forget", "hold", "clean"}).Draw(t, "step") {
			case "commit":
				b := someBatch(t, dests)
				want, err := real.Commit(ctx, b)
				check(t, err)
				got, err := ours.Commit(ctx, b)
				check(t, err)
				same(t, "result of a commit", want, got)
			case "hold":
				held := []string{returnertest.JID(rapid.IntRange(0, 2).Draw(t, "job"))}
				check(t, real.Hold(ctx, held))
				check(t, ours.Hold(ctx, held))
			case "ack":
				rows, err := real.OutboxRead(ctx, dest, 0, 3, 0)
				check(t, err)
				seqs := []int64{1 << 40}
				for _, r := range rows[rapid.IntRange(0, len(rows)).Draw(t, "from"):] {
					seqs = append(seqs, r.Seq)
				}
				check(t, real.OutboxAck(ctx, dest, seqs))
				check(t, ours.OutboxAck(ctx, dest, seqs))
			case "reject":
				rows, err := real.OutboxRead(ctx, dest, 0, 3, 0)
				check(t, err)
				if len(rows) > 0 {
					seq := rapid.SampledFrom(rows).Draw(t, "row").Seq
					check(t, real.OutboxReject(ctx, dest, seq, "bad"))
					check(t, ours.OutboxReject(ctx, dest, seq, "bad"))
				}
			case "move":
				rows, err := real.OutboxRead(ctx, dest, 0, 3, 0)
				check(t, err)
				moves := []returners.Move{{Seq: 1 << 40, To: dests}}
				for _, r := range rows {
					moves = append(moves, returners.Move{Seq: r.Seq, To: dests[rapid.IntRange(0, len(dests)).Draw(t, "to"):]})
				}
				check(t, real.OutboxMove(ctx, dest, moves))
				check(t, ours.OutboxMove(ctx, dest, moves))
			case "owe":
				jid := rapid.SampledFrom([]string{returnertest.JID(1), returnertest.JID(2)}).Draw(t, "job")
				want, err := real.OutboxBackfill(ctx, dest, jid)
				check(t, err)
				got, err := ours.OutboxBackfill(ctx, dest, jid)
				check(t, err)
				same(t, "pending rows", want, got)
			case "forget":
				limit := rapid.IntRange(1, 3).Draw(t, "limit")
				want, err := real.OutboxForget(ctx, dest, limit)
				check(t, err)
				got, err := ours.OutboxForget(ctx, dest, limit)
				check(t, err)
				same(t, "rows forgotten", want, got)
			case "clean":
				before, limit := now.Add(time.Duration(rapid.IntRange(-6, 1).Draw(t, "before"))*time.Second), rapid.IntRange(1, 7).Draw(t, "limit")
				want, err := real.Clean(ctx, before, limit)
				check(t, err)
				got, err := ours.Clean(ctx, before, limit)
				check(t, err)
				same(t, "rows cleaned", want, got)
			}
			compare(t, real, ours, dests)
		}
	})
}

func someBatch(t *rapid.T, dests []string) returners.Batch {
	var b returners.Batch
	owe := func(kind returners.Kind, jid, id string) {
		for _, d := range dests {
			if rapid.Bool().Draw(t, d) {
				b.Outbox = append(b.Outbox, returners.Item{Dest: d, Kind: kind, JID: jid, ID: id})
			}
		}
	}
	jid := func() string { return returnertest.JID(rapid.IntRange(0, 2).Draw(t, "job")) }
	for range rapid.IntRange(0, 4).Draw(t, "returns") {
		v := rapid.Byte().Draw(t, "value")
		r := returners.Return{
			JID: jid(), ID: fmt.Sprint("m", rapid.IntRange(0, 4).Draw(t, "minion")), Fun: rapid.SampledFrom([]string{"f", "g"}).Draw(t, "fun"),
			Full: wire.Raw{0x92, v, 1}, Value: wire.Raw{v}, Success: v > 9, Retcode: int(v) % 3, Via: rapid.SampledFrom([]string{"", "syn"}).Draw(t, "via"),
		}
		if rapid.Bool().Draw(t, "value apart") {
			r.Full = wire.Raw{0xc0}
		}
		b.Returns = append(b.Returns, r)
		owe(returners.KindReturn, r.JID, r.ID)
	}
	for range rapid.IntRange(0, 2).Draw(t, "loads") {
		l := returners.Load{JID: jid(), Raw: make(wire.Raw, rapid.IntRange(1, 5).Draw(t, "length")), User: "u"}
		b.Loads = append(b.Loads, l)
		owe(returners.KindLoad, l.JID, "")
	}
	for range rapid.IntRange(0, 2).Draw(t, "expectations") {
		x := returners.Expectation{JID: jid(), Node: rapid.SampledFrom([]string{"", "syn"}).Draw(t, "node")}
		x.Minions = rapid.SliceOfN(rapid.SampledFrom([]string{"m1", "m2", "m3"}), 0, 2).Draw(t, "minions")
		if rapid.Bool().Draw(t, "missing") {
			x.Missing = map[string]string{"m3": "gone"}
		}
		b.Expectations = append(b.Expectations, x)
		owe(returners.KindExpectation, x.JID, x.Node)
	}
	for range rapid.IntRange(0, 3).Draw(t, "notes") {
		b.Notes = append(b.Notes, returners.Note{
			Kind: rapid.SampledFrom([]string{returners.NoteOpen, returners.NoteOrigin}).Draw(t, "kind"), JID: jid(),
			Key: rapid.SampledFrom([]string{"", "k"}).Draw(t, "key"), Value: rapid.SliceOfN(rapid.Byte(), 0, 2).Draw(t, "value"), Gone: rapid.Bool().Draw(t, "gone"),
		})
	}
	b.Unsynced = rapid.Bool().Draw(t, "unsynced")
	if rapid.Bool().Draw(t, "event") {
		b.Events = append(b.Events, returners.Event{Key: rapid.SampledFrom([]string{"", "k"}).Draw(t, "key"), Tag: "t"})
		b.Outbox = append(b.Outbox, returners.Item{Dest: dests[0], Kind: returners.KindEvent, Payload: []byte{1}})
	}
	return b
}

func compare(t *rapid.T, real, ours returners.JobStore, dests []string) {
	for job := range 3 {
		j := returnertest.JID(job)
		both(t, "returns of "+j, real, ours, func(s returners.JobStore) (any, error) { return s.GetReturns(ctx, j) })
		both(t, "outcomes of "+j, real, ours, func(s returners.JobStore) (any, error) { return s.Outcomes(ctx, j) })
		both(t, "expectations of "+j, real, ours, func(s returners.JobStore) (any, error) { return s.GetExpectations(ctx, j) })
		both(t, "load of "+j, real, ours, func(s returners.JobStore) (any, error) {
			l, ok, err := s.GetLoad(ctx, j)
			return []any{l, ok}, err
		})
		both(t, "origins of "+j, real, ours, func(s returners.JobStore) (any, error) { return s.NotesOf(ctx, returners.NoteOrigin, j) })
		both(t, "open jobs behind "+j, real, ours, func(s returners.JobStore) (any, error) {
			return s.Notes(ctx, returners.NoteOpen, returners.Note{JID: j, Key: "a"}, 2)
		})
	}
	both(t, "jobs", real, ours, func(s returners.JobStore) (any, error) { return s.ListJobs(ctx, returners.Filter{}) })
	both(t, "minions", real, ours, func(s returners.JobStore) (any, error) { return s.Minions(ctx) })
	both(t, "last returns", real, ours, func(s returners.JobStore) (any, error) { return s.GetFun(ctx, "f") })
	for _, d := range append(dests, returners.Rejected(dests[0]), returners.Rejected(dests[1])) {
		both(t, "outbox of "+d, real, ours, func(s returners.JobStore) (any, error) { return s.OutboxRead(ctx, d, 2, 7, 12) })
		both(t, "depth of "+d, real, ours, func(s returners.JobStore) (any, error) {
			n, oldest, err := s.OutboxDepth(ctx, d)
			rows, bytes := s.OutboxSize(d)
			return []any{n, oldest, rows, bytes}, err
		})
	}
}

func both(t *rapid.T, what string, real, ours returners.JobStore, ask func(returners.JobStore) (any, error)) {
	want, err := ask(real)
	check(t, err)
	got, err := ask(ours)
	check(t, err)
	same(t, what, want, got)
}

func same(t *rapid.T, what string, want, got any) {
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-embedded +memory):\n%s", what, diff)
	}
}

func check(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
