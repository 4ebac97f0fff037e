package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

// An Unsynced commit is not synced; the next other commit is.
func TestUnsyncedCommits(t *testing.T) {
	level := func(s *Store) (n int) {
		if err := s.w.QueryRow("PRAGMA synchronous").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const normal, full = 1, 2
	s := openAt(t, filepath.Join(t.TempDir(), "jobs.db"))
	note := Batch{Unsynced: true, Notes: []returners.Note{{Kind: returners.NoteOpen, JID: returnertest.JID(1)}}}
	for _, c := range []struct {
		do   func() error
		want int
	}{
		{func() error { _, err := s.Commit(background, note); return err }, normal},
		{func() error { _, err := s.Commit(background, batchOf(t, 1, 1)); return err }, full},
		{func() error { _, err := s.Commit(background, note); return err }, normal},
		{func() error { return s.OutboxReject(background, "parent:top", 1, "bad") }, full},
		{func() error { return s.OutboxAck(background, "parent:top", []int64{1}) }, normal}, // at worst it is delivered twice, which changes nothing
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		if got := level(s); got != c.want {
			t.Errorf("synchronous is %d, want %d", got, c.want)
		}
	}
}
