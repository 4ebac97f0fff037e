package sqlite

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/returners"
)

const expectJob = "20260101000000000001"

func hosts(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("host-%06d.example.com", i)
	}
	return out
}

func commit(t testing.TB, s *Store, b Batch) Result {
	t.Helper()
	res, err := s.Commit(background, b)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// pagesOf returns the number of pages of expectations, and the size of the largest.
func pagesOf(t *testing.T, s *Store) (rows, largest int) {
	t.Helper()
	if err := s.r.QueryRow("SELECT count(*), coalesce(max(length(data)), 0) FROM expected_pages").Scan(&rows, &largest); err != nil {
		t.Fatal(err)
	}
	return rows, largest
}

// An expectation that names one of 10,000 minions writes one small page, however many
// came before, and adds only itself to the outbox of the database. 10,000 minions cross the
// size of a page 100 times.
func TestOneExpectationWritesOnePage(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "jobs.db"))
	ids := hosts(10_000)
	owe := []Item{{Dest: "mysql", Kind: returners.KindExpectation, JID: expectJob}}
	for i := 0; i < len(ids); i += 500 { // in random order
		b := Batch{Outbox: owe}
		for k := range 500 {
			b.Expectations = append(b.Expectations, returners.Expectation{JID: expectJob, Minions: []string{ids[(i+k)*7919%len(ids)]}, State: returners.StateAdopted})
		}
		for i, changed := range commit(t, s, b).NewExpectations {
			if !changed {
				t.Fatalf("expectation %d changed nothing", i)
			}
		}
	}
	rows, largest := pagesOf(t, s)
	if most := 2 * pageIDs * (len(ids[0]) + 1); rows < len(ids)/(2*pageIDs) || largest > most {
		t.Errorf("%d pages of up to %d bytes; want pages of %d minions, %d bytes at most", rows, largest, 2*pageIDs, most)
	}
	before := changesOf(t, s)
	word := Batch{Expectations: []returners.Expectation{{JID: expectJob, Missing: map[string]string{ids[4711]: "Not connected"}}}, Outbox: owe}
	if res := commit(t, s, word); !res.NewExpectations[0] {
		t.Error("the word changed nothing")
	}
	if n := changesOf(t, s) - before; n > 4 { // a page, the node, the job, the outbox
		t.Errorf("one word wrote %d rows", n)
	}
	if res := commit(t, s, word); res.NewExpectations[0] {
		t.Error("the same word again changed something")
	}
	items, err := s.OutboxRead(background, "mysql", 0, 1000, 0)
	if err != nil || len(items) != 21 {
		t.Fatalf("%d rows are pending, %v", len(items), err)
	}
	if x := items[20].Expectation; x == nil || len(x.Minions) != 0 || len(x.Missing) != 1 || x.State != returners.StateAdopted {
		t.Errorf("pending is %+v", x)
	}
	xs, err := s.GetExpectations(background, expectJob)
	if err != nil || len(xs) != 1 || len(xs[0].Minions) != len(ids)-1 || !slices.IsSorted(xs[0].Minions) || xs[0].Missing[ids[4711]] != "Not connected" {
		t.Errorf("stored are %d expectations, %v", len(xs), err)
	}
	if n, err := s.Clean(background, time.Now().Add(time.Hour), 500); n != 0 || err != nil { // the outbox refers to it
		t.Errorf("cleaned %d rows, %v", n, err)
	}
	var seqs []int64
	for _, it := range items {
		seqs = append(seqs, it.Seq)
	}
	if err := s.OutboxAck(background, "mysql", seqs); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Clean(background, time.Now().Add(time.Hour), 500); err != nil {
		t.Fatal(err)
	}
	if rows, _ := pagesOf(t, s); rows != 0 {
		t.Errorf("%d pages are left of a job that went", rows)
	}
}

// changesOf returns how many rows the writing connection has changed since it was opened.
func changesOf(t *testing.T, s *Store) (n int) {
	t.Helper()
	if err := s.w.QueryRow("SELECT total_changes()").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A damaged page is an error that names the job, not a shorter list.
func TestDamagedPage(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "jobs.db"))
	commit(t, s, Batch{Expectations: []returners.Expectation{{JID: expectJob, Minions: hosts(3)}}})
	if _, err := s.w.Exec("UPDATE expected_pages SET data = x'ff'"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GetExpectations(background, expectJob); err == nil || !strings.Contains(err.Error(), expectJob) {
		t.Errorf("read: %v", err)
	}
	if _, err := s.Commit(background, Batch{Expectations: []returners.Expectation{{JID: expectJob, Minions: []string{"a"}}}}); err == nil {
		t.Error("written over")
	}
}

func BenchmarkOneWordOfMany(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := openAt(b, filepath.Join(b.TempDir(), "jobs.db"))
			ids := hosts(n)
			commit(b, s, Batch{Expectations: []returners.Expectation{{JID: expectJob, Minions: ids}}})
			b.ResetTimer()
			for i := 0; i < b.N; i += 200 {
				var batch Batch
				for k := range min(200, b.N-i) {
					batch.Expectations = append(batch.Expectations, returners.Expectation{
						JID: expectJob, Missing: map[string]string{ids[(i+k)*7919%n]: fmt.Sprint("reason ", i)},
					})
				}
				commit(b, s, batch)
			}
		})
	}
}

// 10,000 minions arrive at a sibling while it works on one job: one expectation each, 500
// to a commit.
func BenchmarkTenThousandArrivals(b *testing.B) {
	for range b.N {
		s := openAt(b, filepath.Join(b.TempDir(), "jobs.db"))
		ids := hosts(10_000)
		for i := 0; i < len(ids); i += 500 {
			var batch Batch
			for k := range 500 {
				batch.Expectations = append(batch.Expectations, returners.Expectation{
					JID: expectJob, Minions: []string{ids[(i+k)*7919%len(ids)]}, State: returners.StateAdopted,
				})
			}
			commit(b, s, batch)
		}
	}
}

// A job for 10,000 minions is opened: the cost that pages add to a publication.
func BenchmarkOpenTenThousand(b *testing.B) {
	s := openAt(b, filepath.Join(b.TempDir(), "jobs.db"))
	ids := hosts(10_000)
	for i := range b.N {
		commit(b, s, Batch{Expectations: []returners.Expectation{{JID: fmt.Sprintf("20260101%012d", i), Minions: ids, State: "answered"}}})
	}
}

// The expectations of a job for 10,000 minions are read.
func BenchmarkReadTenThousand(b *testing.B) {
	s := openAt(b, filepath.Join(b.TempDir(), "jobs.db"))
	commit(b, s, Batch{Expectations: []returners.Expectation{{JID: expectJob, Minions: hosts(10_000)}}})
	for b.Loop() {
		if xs, err := s.GetExpectations(background, expectJob); err != nil || len(xs) != 1 {
			b.Fatal(err)
		}
	}
}

// The outcomes of a job for 10,000 minions are read, as for each open job at start.
func BenchmarkOutcomes(b *testing.B) {
	s := openAt(b, filepath.Join(b.TempDir(), "jobs.db"))
	var batch Batch
	for _, id := range hosts(10_000) {
		batch.Returns = append(batch.Returns, returners.Return{JID: expectJob, ID: id, Fun: "test.ping", Success: true, Full: make([]byte, 300)})
	}
	commit(b, s, batch)
	for b.Loop() {
		if out, err := s.Outcomes(background, expectJob); err != nil || len(out) != 10_000 {
			b.Fatal(len(out), err)
		}
	}
}
