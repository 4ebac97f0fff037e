package sqlite

import (
	"database/sql"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

// earlier makes a store as versions of mom made it that knew the first n migrations.
func earlier(t testing.TB, path string, n int) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	files := fstest.MapFS{}
	for _, name := range names[:n] {
		b, err := migrations.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: b}
	}
	if err := migrateFrom(background, db, files); err != nil {
		t.Fatal(err)
	}
	return db
}

// fill puts returns of so many minions for so many jobs into a store of any version, job
// by job and minion by minion in an order that is not that of their names.
func fill(t testing.TB, db *sql.DB, jobs, minions int) {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	put, err := tx.Prepare(`INSERT INTO salt_returns (jid, id, fun, success, retcode, out, master_id, via, alter_time, val_at, val_len, value, full_ret)
		VALUES (?, ?, 'test.echo', 1, 0, '', 'leaf1_master', 'leaf1', 1700000000000000, 0, 0, NULL, ?)`)
	if err != nil {
		t.Fatal(err)
	}
	full := []byte(returnertest.Return(t, 1, "m", "test.echo", string(make([]byte, 200))).Full)
	for j := range jobs {
		if _, err := tx.Exec("INSERT INTO jids (jid, at, last) VALUES (?, 1, 1)", returnertest.JID(j)); err != nil {
			t.Fatal(err)
		}
		for m := range minions {
			if _, err := put.Exec(returnertest.JID(j), returnertest.Minion(m*7919%minions), full); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// The returns of a store of an earlier version are there after its tables were made anew.
func TestReturnsOfAnEarlierVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	db := earlier(t, path, 4)
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

// BenchmarkMigrate is the first start over a store of an earlier version: op is the whole
// of it, with returns of 300 bytes.
func BenchmarkMigrate(b *testing.B) {
	for _, rows := range []int{100_000, 1_000_000} {
		b.Run(strconv.Itoa(rows), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				path := filepath.Join(b.TempDir(), "jobs.db")
				db := earlier(b, path, 4)
				fill(b, db, rows/10_000, 10_000)
				if err := db.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				s, err := Open(b.Context(), Options{Path: path})
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
