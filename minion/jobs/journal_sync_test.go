package jobs

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/durable"
)

// A jid is on disk before the job starts, or the minion logs that the job may run again.
func TestJournalIsSynced(t *testing.T) {
	d, err := openJournal(filepath.Join(t.TempDir(), "jids"), 10)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is gone")
	d.sync = durable.New(func() error { return errors.Join(durable.Held(d.held).Wait(), broken) })
	if err := d.note("20260101000000000001"); !errors.Is(err, broken) {
		t.Errorf("noted without the disk: %v", err)
	}
	if err := d.close(); err != nil {
		t.Error(err)
	}
	if err := durable.Held(d.held).Wait(); err != nil {
		t.Error(err)
	}
}
