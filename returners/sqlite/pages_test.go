package sqlite

import (
	"database/sql"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

// Most of what a return costs are the pages of the file that its commit writes: they
// follow from the bytes of the returns, not from how many minions there are.
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

// The returns of a store of an earlier version are there after its tables were made anew.
func TestReturnsOfAnEarlierVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range []string{"0001_jobs", "0002_outbox_size", "0003_expected_pages", "0004_notes"} {
		b, err := migrations.ReadFile("migrations/" + name + ".sql")
		if err != nil {
			t.Fatal(err)
		}
		files["migrations/"+name+".sql"] = &fstest.MapFile{Data: b}
	}
	if err := migrateFrom(background, db, files); err != nil {
		t.Fatal(err)
	}
	var rets []returners.Return
	for i := range 3 {
		r := returnertest.Return(t, 1, returnertest.Minion(i), "test.echo", "hello")
		rets = append(rets, r)
		if _, err := db.Exec("INSERT INTO salt_returns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, -1, 0, ?, ?)", r.JID, r.ID, r.Fun, r.Success, r.Retcode,
			r.Out, r.MasterID, r.Via, r.At.UnixMicro(), []byte(r.Value), []byte(r.Full)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path)
	got, err := s.GetReturns(background, rets[0].JID)
	if diff := cmp.Diff(rets, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if res := commit(t, s, Batch{Returns: rets[:1]}); res.NewReturns[0] {
		t.Error("one that was stored by the earlier version is new")
	}
	if last, err := s.GetFun(background, "test.echo"); len(last) != 3 || err != nil {
		t.Errorf("the last returns are %v, %v", last, err)
	}
}
