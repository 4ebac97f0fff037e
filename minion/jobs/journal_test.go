package jobs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/jid"
)

func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d", "jids")
	open := func() *journal {
		t.Helper()
		d, err := openJournal(path, 3)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.close() })
		return d
	}
	d := open()
	for n := range 500 {
		for range 2 {
			if err := d.note(fmt.Sprint(n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if b, err := os.ReadFile(path); err != nil || strings.Count(string(b), "\n") > 2*3+64 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	// The process was killed in the middle of a line.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("../x\n99"); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if got := open().jids(); !slices.Equal(got, []string{"497", "498", "499"}) {
		t.Errorf("remembered %v", got)
	}
}

// A job that an earlier run has started does not run when a master sends it again.
func TestKnownFromTheJournal(t *testing.T) {
	r := newRecent(10, 10)
	r.know("1")
	if fresh, _ := r.take("1", nil); fresh {
		t.Error("run twice")
	}
	if fresh, _ := r.take("2", nil); !fresh {
		t.Error("not run at all")
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte("1\n2\n3"))
	f.Add([]byte("\n\n.x\na/b\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, id := range parseJournal(b) {
			if jid.Usable(id) != nil {
				t.Errorf("took %q", id)
			}
		}
	})
}
