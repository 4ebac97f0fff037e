package origins

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/momtree/mom/returners"
)

// noted lists notes as kind, job, key and value.
func noted(t *testing.T, jobs returners.NoteReader) (all []string) {
	t.Helper()
	for _, kind := range []string{returners.NoteOrigin, returners.NotePending, returners.NoteMasterID} {
		err := returners.EachNote(t.Context(), jobs, kind, func(n returners.Note) {
			all = append(all, fmt.Sprint(n.Kind, " ", n.JID, " ", n.Key, " ", string(n.Value)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// The file of an earlier version is imported once and removed. Invalid lines and jobs no longer
// stored are skipped, and completed entries are not pending again.
func TestImportFormer(t *testing.T) {
	local, dir := newFakeLocal(), t.TempDir()
	local.own(t, job(1), job(2))
	file := filepath.Join(dir, formerFile)
	text := fmt.Sprintf("nonsense\nj\nj x\nm  \nm a:1 top\no a:1 %s\no b:1 %s\nj a:1 %s\nj a:1 %s\nj b:1 %s\n", job(1), job(1), job(2), job(3), job(1))
	write := func() {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	refuses := errors.New("disk full")
	local.refuses = refuses
	if _, err := Open(t.Context(), Options{Local: local, Cachedir: dir, Most: 50}); !errors.Is(err, refuses) {
		t.Fatalf("with a full disk: %v", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("removed before the import: %v", err)
	}
	local.refuses = nil
	want := []string{"origin " + job(1) + " a:1 ", "origin " + job(1) + " b:1 ", "origin " + job(2) + " a:1 ", "owed " + job(1) + " a:1 ", "master_id  top a:1"}
	for range 2 {
		o, err := Open(t.Context(), Options{Local: local, Cachedir: dir, Most: 50})
		if err != nil {
			t.Fatal(err)
		}
		if got := noted(t, local.Store); !slices.Equal(got, want) {
			t.Errorf("imported %q, want %q", got, want)
		}
		if !slices.Equal(o.Of(job(1), ""), []string{"a:1", "b:1"}) || !slices.Equal(o.Of("", "top"), []string{"a:1"}) || !slices.Equal(o.Pending("a:1"), []string{job(1)}) {
			t.Errorf("origins %v, %v, pending %v", o.Of(job(1), ""), o.Of("", "top"), o.Pending("a:1"))
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file: %v", err)
		}
	}
}
