package jobstore

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/momtree/mom/returners"
)

// TakeOver imports the marks once.
func TestTakeOver(t *testing.T) {
	s, dir := newStore(t, Options{}), t.TempDir()
	for _, name := range []string{"open_jobs/20240102030405678901", "open_jobs/junk", "untold_jobs/20240102030405678902"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := s.TakeOver(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		for kind, want := range map[string]string{returners.NoteOpen: "20240102030405678901", returners.NoteUnreported: "20240102030405678902"} {
			var got []string
			err := returners.EachNote(t.Context(), s.Embedded(), kind, func(n returners.Note) { got = append(got, n.JID) })
			if err != nil || !slices.Equal(got, []string{want}) {
				t.Errorf("%s: %v, %v", kind, got, err)
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("left are %v, %v", left, err)
		}
	}
}
