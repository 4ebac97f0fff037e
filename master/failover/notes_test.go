package failover

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A guest whose key was accepted just before a SIGKILL is still a guest after the restart;
// else each job would miss it once it is home again.
func TestNotes_SurviveAKill(t *testing.T) {
	dir := t.TempDir()
	live := func() *registry { // opens the registry without closing the previous one
		h, err := openRegistry(dir, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := live()
	for _, id := range []string{"guest", "stays", "odd \"name\"\n"} {
		if err := h.Away(id, "home", true); err != nil {
			t.Fatal(err)
		}
	}
	h = live()
	if err := h.Adopt("stays"); err != nil {
		t.Fatal(err)
	}
	check := func(what string, h *registry) {
		t.Helper()
		if got := h.Guests(); len(got) != 2 || got["guest"] != "home" || got["odd \"name\"\n"] != "home" {
			t.Errorf("%s: %v", what, got)
		}
	}
	check("killed", live())
	if err := os.WriteFile(filepath.Join(dir, notesFile), append(read(t, dir), `"torn" "ho`...), 0o600); err != nil {
		t.Fatal(err)
	}
	h = live()
	check("killed in a write", h)
	if err := h.Save(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, notesFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("notes not removed: %v", err)
	}
	check("saved", live())
	if err := h.Away("late", "home", true); err != nil { // while Save writes
		t.Fatal(err)
	}
	if err := h.dropNotes(0); err != nil || len(read(t, dir)) == 0 {
		t.Error("notes removed before they are in the file", err)
	}
}

func read(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, notesFile))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A guest is not accepted if its note cannot be written.
func TestNotes_WriteError(t *testing.T) {
	dir := t.TempDir()
	h, err := openRegistry(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, notesFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := h.Away("guest", "home", true); err == nil {
		t.Error("accepted")
	}
	if _, ok := h.GuestOf("guest"); ok {
		t.Error("is a guest")
	}
}
