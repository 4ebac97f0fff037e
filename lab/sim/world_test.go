package sim

import (
	"os"
	"testing"
)

func play(t *testing.T, o Options) (*World, Report) {
	t.Helper()
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w, w.Report()
}

func shape(t *testing.T, s string) Shape {
	t.Helper()
	sh, err := ParseShape(s)
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

func TestQuiet(t *testing.T) {
	w, r := play(t, Options{Shape: shape(t, "3x4x50")})
	if testing.Verbose() {
		_ = r.Text(os.Stdout)
	}
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
}
