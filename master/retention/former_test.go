package retention

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/returners"
)

// TakeOver imports the publications whose jobs are stored, once and in order, with their marks.
func TestTakeOver(t *testing.T) {
	w := newFixture(t)
	dir := filepath.Join(t.TempDir(), "publications")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(n int, mark string, cut int) {
		t.Helper()
		w.at = w.at.Add(time.Second)
		r := Record{JID: jidOf(n), At: w.at, Pub: []byte{0x80}, boot: w.boot}
		if n == 4 {
			r.Until = w.at.Add(time.Hour)
		}
		body, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		b := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
		b = append(b, mark...)
		if err := os.WriteFile(filepath.Join(dir, jidOf(n)), b[:len(b)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if n != 2 { // killed before the job was stored
			_, err = w.store.Commit(t.Context(), returners.Batch{Loads: []returners.Load{{JID: jidOf(n), Raw: []byte{0x80}}}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(3, "p", 0)
	write(1, "", 0)
	write(2, "", 0)
	write(5, "", 1)
	write(4, "p", 0)
	if err := os.WriteFile(filepath.Join(dir, ".tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := TakeOver(t.Context(), dir, w.store, w.store.Commit); err != nil {
			t.Fatal(err)
		}
		w.reopen()
		w.wantSince("", 0, 3, 1, 4)
		if w.Unpublished(jidOf(3)) || !w.Unpublished(jidOf(1)) || w.Unpublished(jidOf(4)) {
			t.Error("the marks of published ones are lost")
		}
		if r := w.Records(); len(r) != 1 || r[0].JID != jidOf(4) {
			t.Errorf("queued are %v", r)
		}
		if got := w.stored(); !slices.Equal(got, []string{jidOf(1), jidOf(3), jidOf(4)}) {
			t.Errorf("stored are %v", got)
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("the folder: %v", err)
		}
	}
}
