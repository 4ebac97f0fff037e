package delivery

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestOutbox(t *testing.T) {
	dir := t.TempDir()
	box, err := OpenOutbox(dir, 20_000, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := box.Push(fmt.Sprint("job", i), fmt.Appendf(nil, "return %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	seq, load, ok := box.head()
	if !ok || string(load) != "return 0" {
		t.Fatalf("head %q %v", load, ok)
	}
	box.ack(seq)
	box.ack(seq) // again: no effect
	if err := os.WriteFile(filepath.Join(dir, ".half-written"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(box.path(box.items[0])); err != nil { // as if an operator had removed it
		t.Fatal(err)
	}
	if box, err = OpenOutbox(dir, 20_000, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".half-written")); err == nil {
		t.Error("a half written file was kept")
	}
	if err := box.Push("job5", []byte("return 5")); err != nil {
		t.Fatal(err)
	}
	if got := box.JIDs(); !slices.Equal(got, []string{"job2", "job3", "job4", "job5"}) {
		t.Errorf("jids %v", got)
	}
	for _, want := range []string{"return 2", "return 3", "return 4", "return 5"} {
		seq, load, ok := box.head()
		if !ok || string(load) != want {
			t.Errorf("got %q, want %q", load, want)
		}
		box.ack(seq)
	}
	if _, _, ok := box.head(); ok || box.Depth() != 0 || box.bytes != 0 {
		t.Errorf("not empty: %d, %d bytes", box.Depth(), box.bytes)
	}
}

func TestOutbox_ShedsTheOldest(t *testing.T) {
	box, err := OpenOutbox(t.TempDir(), 20_000, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	box.maxItems = 3
	for i := range 5 {
		if err := box.Push("j", []byte{byte('0' + i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, load, _ := box.head(); string(load) != "2" || box.Depth() != 3 {
		t.Errorf("head %q of %d", load, box.Depth())
	}
	box.maxBytes = 2
	if err := box.Push("j", []byte("xy")); err != nil {
		t.Fatal(err)
	}
	if _, load, _ := box.head(); string(load) != "xy" || box.Depth() != 1 {
		t.Errorf("head %q of %d", load, box.Depth())
	}
}

// A disk that refuses writes costs no return while the minion runs, and memory use is bounded.
func TestOutbox_DiskRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "returns")
	box, err := OpenOutbox(dir, 20_000, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Push("a", []byte("stored")); err != nil {
		t.Fatal(err)
	}
	away := dir + ".away" // no user can write there
	if err := os.Rename(dir, away); err != nil {
		t.Fatal(err)
	}
	if err := box.Push("b", []byte("held")); err != nil {
		t.Fatalf("a return is lost: %v", err)
	}
	held := box.held
	box.held = maxHeld
	if err := box.Push("c", []byte("too much")); err == nil {
		t.Error("memory has no bound")
	}
	box.held = held
	if err := os.Rename(away, dir); err != nil {
		t.Fatal(err)
	}
	if err := box.Push("d", []byte("stored again")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"stored", "held", "stored again"} {
		seq, load, ok := box.head()
		if !ok || string(load) != want {
			t.Fatalf("head %q, want %q", load, want)
		}
		box.ack(seq)
	}
	if box.Depth() != 0 || box.held != 0 || box.bytes != 0 {
		t.Errorf("%d left, %d bytes, %d held", box.Depth(), box.bytes, box.held)
	}
}

func TestOutbox_RemovedFileIsSkipped(t *testing.T) {
	box, err := OpenOutbox(t.TempDir(), 20_000, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"a", "b"} {
		if err := box.Push(s, []byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(box.path(box.items[0])); err != nil {
		t.Fatal(err)
	}
	if _, load, ok := box.head(); !ok || string(load) != "b" {
		t.Errorf("head %q %v", load, ok)
	}
}
