package sqlite

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

var background = context.Background()

func batchOf(t *testing.T, n int, size int) Batch {
	var b Batch
	for i := range n {
		r := returnertest.Return(t, 1, returnertest.Minion(i), "test.echo", strings.Repeat("x", size))
		b.Returns = append(b.Returns, r)
		b.Outbox = append(b.Outbox, Item{Dest: "parent:top", Kind: returners.KindReturn, JID: r.JID, ID: r.ID})
	}
	return b
}

func TestDiskFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	s := openAt(t, path)
	before := batchOf(t, 5, 100)
	before.Notes = []returners.Note{
		{Kind: returners.NoteOpen, JID: returnertest.JID(1)}, {Kind: returners.NotePublication, JID: returnertest.JID(1), Value: make([]byte, 50_000)},
	}
	if _, err := s.Commit(background, before); err != nil {
		t.Fatal(err)
	}
	if _, err := s.w.Exec("PRAGMA max_page_count = 40"); err != nil { // as a full disk does
		t.Fatal(err)
	}
	_, err := s.Commit(background, batchOf(t, 50, 20_000))
	if !errors.Is(err, returners.ErrFull) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "keep_jobs_seconds") {
		t.Errorf("got %v", err)
	}
	// The group returns the error to each sender: nothing was acknowledged. Rows can still
	// be removed.
	g := returners.NewGroup(s, returners.GroupConfig{})
	if _, err := g.Commit(background, returners.Batch{Unsynced: true, Notes: []returners.Note{
		{Kind: returners.NoteOpen, JID: returnertest.JID(1), Gone: true}, {Kind: returners.NotePublication, JID: returnertest.JID(1), Gone: true},
	}}); err != nil {
		t.Error(err)
	}
	if _, err := g.Commit(background, returners.Batch{Returns: batchOf(t, 50, 20_000).Returns}); !errors.Is(err, returners.ErrFull) {
		t.Errorf("group: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	for _, kind := range []string{returners.NoteOpen, returners.NotePublication} {
		if notes, err := s.NotesOf(background, kind, returnertest.JID(1)); err != nil || len(notes) != 0 {
			t.Errorf("left are %v, %v", notes, err)
		}
	}
	rets, err := s.GetReturns(background, returnertest.JID(1))
	if err != nil || len(rets) != 5 {
		t.Errorf("%d returns, %v; want those from before", len(rets), err)
	}
	if n, _, err := s.OutboxDepth(background, "parent:top"); n != 5 || err != nil {
		t.Errorf("%d pending, %v", n, err)
	}
	if _, err := s.w.Exec("PRAGMA max_page_count = 100000"); err != nil { // space again
		t.Fatal(err)
	}
	res, err := s.Commit(background, batchOf(t, 50, 20_000))
	if err != nil || res.NewReturns[0] || !res.NewReturns[49] {
		t.Errorf("after space was freed: %v", err)
	}
}

func TestCorruptFile(t *testing.T) {
	garbage := bytes.Repeat([]byte("no database "), 2000)
	for name, spoil := range map[string]func(path string) error{
		"not a database": func(path string) error { return os.WriteFile(path, garbage, 0o600) },
		"page overwritten": func(path string) error {
			s, err := Open(background, Options{Path: path})
			if err != nil {
				return err
			}
			if _, err := s.Commit(background, batchOf(t, 200, 500)); err != nil {
				return err
			}
			if err := s.Close(); err != nil {
				return err
			}
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				return err
			}
			_, err = f.WriteAt(bytes.Repeat(garbage, int(info.Size())/len(garbage)+1)[:info.Size()-8192], 8192) // all pages but the first
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "jobs.db")
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
			s, err := Open(background, Options{Path: path})
			if err == nil {
				defer s.Close()
				_, err = s.Commit(background, batchOf(t, 300, 10))
			}
			if !errors.Is(err, returners.ErrCorrupt) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "aside") {
				t.Errorf("got %v", err)
			}
			if s != nil {
				if err := s.Check(background); !errors.Is(err, returners.ErrCorrupt) {
					t.Errorf("check: %v", err)
				}
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "jobs.db")
	s := openAt(t, path)
	if _, err := Open(background, Options{Path: path}); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("second opener: %v", err)
	}
	if _, err := s.w.Exec("INSERT INTO schema_version (version, name, at) VALUES (999, 'later', '')"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(background, Options{Path: path}); !errors.Is(err, returners.ErrNewerSchema) || !strings.Contains(err.Error(), "999") {
		t.Errorf("newer schema: %v", err)
	}
	if _, err := Open(background, Options{}); err == nil || !strings.Contains(err.Error(), "path") {
		t.Errorf("no path: %v", err)
	}
	if _, err := Open(background, Options{Path: path, Synchronous: "off"}); err == nil || !strings.Contains(err.Error(), "full or normal") {
		t.Errorf("synchronous: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(background, Options{Path: filepath.Join(dir, "file", "jobs.db")}); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("folder is a file: %v", err)
	}
}

func TestOddPathsAndModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c%41#é&_pragma=x", "jobs.db")
	s := openAt(t, path)
	if _, err := s.Commit(background, batchOf(t, 1, 1)); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v: returns hold secrets", suffix, info.Mode())
		}
	}
	var sync int
	if err := s.w.QueryRow("PRAGMA synchronous").Scan(&sync); err != nil || sync != 2 {
		t.Errorf("synchronous is %d, %v; want 2 (full)", sync, err)
	}
	if _, err := s.r.Exec("DELETE FROM jids"); err == nil {
		t.Error("a reading connection can write")
	}
}

func TestMigrationsRunOnceInATransaction(t *testing.T) {
	s := open(t)
	files := fstest.MapFS{
		"migrations/1002_ok.sql":  {Data: []byte("CREATE TABLE extra (a); INSERT INTO extra VALUES (1);")},
		"migrations/1003_bad.sql": {Data: []byte("CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);")},
	}
	for range 2 {
		if err := migrateFrom(background, s.w, files); err == nil || !strings.Contains(err.Error(), "1003_bad.sql") {
			t.Errorf("got %v", err)
		}
	}
	var extra, half int
	if err := s.w.QueryRow("SELECT (SELECT count(*) FROM extra), (SELECT count(*) FROM sqlite_schema WHERE name = 'half')").Scan(&extra, &half); err != nil || extra != 1 || half != 0 {
		t.Errorf("second migration ran %d times, the third left %d tables, %v", extra, half, err)
	}
	files["migrations/1003_bad.sql"] = &fstest.MapFile{Data: []byte("CREATE TABLE half (a);")}
	if err := migrateFrom(background, s.w, files); err != nil {
		t.Error(err)
	}
}

// An existing file of zero bytes is suspicious and logged. A new store is not, and neither
// is one that was opened once, however its process ended.
func TestEmptiedFileIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	warnings := func() string {
		var log bytes.Buffer
		s, err := Open(background, Options{Path: path, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if emptied(path) {
			t.Error("an open store whose process dies now would be named")
		}
		if _, err := s.Commit(background, batchOf(t, 3, 10)); err != nil {
			t.Error(err)
		}
		return log.String()
	}
	if got := warnings(); got != "" {
		t.Errorf("a new store: %s", got)
	}
	if got := warnings(); got != "" {
		t.Errorf("a store: %s", got)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if got := warnings(); !strings.Contains(got, "WARN") || !strings.Contains(got, path) || !strings.Contains(got, "is empty") {
		t.Errorf("an emptied store: %q", got)
	}
	if got := warnings(); got != "" {
		t.Errorf("logged twice: %s", got)
	}
}
