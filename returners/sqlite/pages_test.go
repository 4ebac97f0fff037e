package sqlite

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/returners/returnertest"
)

// The main cost of a return are the file pages that its commit writes. Their number follows
// from the bytes of the returns, not from the number of minions.
func TestACommitWritesFewPages(t *testing.T) {
	const minions, jobs, rows = 1000, 20, 100
	path := filepath.Join(t.TempDir(), "jobs.db")
	s := openAt(t, path)
	if _, err := s.w.Exec("PRAGMA wal_autocheckpoint = 0"); err != nil { // so that the log only grows
		t.Fatal(err)
	}
	frames := func() int64 {
		fi, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return fi.Size() / (8192 + 24)
	}
	order, r := rand.New(rand.NewPCG(1, 2)).Perm(minions), returnertest.Return(t, 1, "m", "test.ping", true)
	before, commits := int64(0), 0
	for n := 0; n < minions*jobs; {
		if n == minions*(jobs-1) {
			before, commits = frames(), 0
		}
		var b Batch
		for range rows {
			r.JID, r.ID = returnertest.JID(n/minions), returnertest.Minion(order[n%minions])
			b.Returns = append(b.Returns, r)
			n++
		}
		commit(t, s, b)
		commits++
	}
	if each := int(frames()-before) / commits; each > 25 {
		t.Errorf("a commit of %d returns writes %d pages", rows, each)
	}
}
