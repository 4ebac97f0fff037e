package timing

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// world is a machine whose wall clock a test sets.
type world struct {
	wall    time.Time
	running time.Duration
	o       Options
	*Clock
}

func newWorld(t *testing.T) *world {
	w := &world{wall: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	w.o = Options{
		File: filepath.Join(t.TempDir(), "age"), Log: slog.New(slog.DiscardHandler),
		Wall: func() time.Time { return w.wall }, Running: func() time.Duration { return w.running },
	}
	w.Clock = Open(w.o)
	return w
}

// pass lets time pass on both clocks.
func (w *world) pass(d time.Duration) { w.wall, w.running = w.wall.Add(d), w.running+d }

// restart begins another run after the machine was off for some time.
func (w *world) restart(t *testing.T, off time.Duration) {
	t.Helper()
	if err := w.Save(); err != nil {
		t.Fatal(err)
	}
	w.wall, w.running = w.wall.Add(off), 0
	w.Clock = Open(w.o)
}

func (w *world) want(t *testing.T, what string, steady bool, at time.Time) {
	t.Helper()
	if got := w.Steady(); got != steady {
		t.Errorf("%s: steady %v, want %v", what, got, steady)
	}
	if got := w.Now(); !got.Equal(at) {
		t.Errorf("%s: the clock of ages stands at %v, want %v", what, got, at)
	}
}

// A wall clock that is 26 hours ahead or behind for a second changes no age, and nothing may be
// deleted meanwhile.
func TestAJumpThereAndBack(t *testing.T) {
	for _, by := range []time.Duration{26 * time.Hour, -26 * time.Hour, 40 * 365 * 24 * time.Hour} {
		w := newWorld(t)
		began := w.Now()
		w.pass(time.Hour)
		w.want(t, "before", true, began.Add(time.Hour))
		w.wall = w.wall.Add(by)
		w.want(t, "jumped", false, began.Add(time.Hour))
		w.pass(time.Second)
		w.want(t, "a second later", false, began.Add(time.Hour+time.Second))
		w.wall = w.wall.Add(-by)
		w.want(t, "back", true, began.Add(time.Hour+time.Second))
		if n := w.Jumps(); n != 1 {
			t.Errorf("%d jumps were counted", n)
		}
	}
}

// A new time that holds is accepted after about the length of the jump, at least ten minutes
// and at most six hours; no age changes by that.
func TestTimeConfirms(t *testing.T) {
	for by, wait := range map[time.Duration]time.Duration{
		2 * time.Minute: 10 * time.Minute, 3 * time.Hour: 3 * time.Hour, 26 * time.Hour: 6 * time.Hour, -26 * time.Hour: 6 * time.Hour,
	} {
		w := newWorld(t)
		began := w.Now()
		w.wall = w.wall.Add(by)
		w.want(t, "jumped", false, began)
		w.pass(wait - time.Second)
		w.want(t, "too early", false, began.Add(wait-time.Second))
		w.pass(time.Second)
		w.want(t, "believed", true, began.Add(wait))
		w.pass(time.Hour)
		w.want(t, "later", true, began.Add(wait+time.Hour))
		w.wall = w.wall.Add(by) // the next jump counts from there
		w.want(t, "jumped again", false, began.Add(wait+time.Hour))
	}
}

// Another jump before the first is accepted restarts the wait.
func TestAJumpOnAJump(t *testing.T) {
	w := newWorld(t)
	w.wall = w.wall.Add(2 * time.Hour)
	w.Look()
	w.pass(90 * time.Minute)
	w.wall = w.wall.Add(time.Hour)
	if j, _ := w.Look(); j.By != 3*time.Hour || j.Left != 3*time.Hour {
		t.Errorf("jump %+v", j)
	}
	w.pass(2 * time.Hour)
	if w.Steady() {
		t.Error("believed after the wait of the first jump")
	}
	w.pass(time.Hour)
	if !w.Steady() {
		t.Error("not believed")
	}
}

func TestAnOperatorConfirms(t *testing.T) {
	w := newWorld(t)
	began := w.Now()
	if _, was := w.Confirm(); was {
		t.Error("there was nothing to confirm")
	}
	w.wall = w.wall.Add(-26 * time.Hour)
	if j, was := w.Confirm(); !was || j.By != -26*time.Hour {
		t.Errorf("confirmed %+v, %v", j, was)
	}
	w.want(t, "confirmed", true, began)
	w.wall = w.wall.Add(26 * time.Hour)
	w.want(t, "it was right before", false, began)
}

// A clock that is slewed, or runs at another rate, does not jump.
func TestSlewIsNoJump(t *testing.T) {
	w := newWorld(t)
	for range 10_000 {
		w.pass(time.Minute)
		w.wall = w.wall.Add(30 * time.Millisecond)
		if !w.Steady() {
			t.Fatal("taken for a jump")
		}
	}
}

// Over a restart at most an hour passes, however far the wall clock moved. If it moved further,
// or back, it must be confirmed.
func TestRestart(t *testing.T) {
	for _, c := range []struct {
		off, step time.Duration
		steady    bool
	}{
		{0, 0, true},
		{5 * time.Second, 5 * time.Second, true},
		{time.Hour, time.Hour, true},
		{26 * time.Hour, time.Hour, false},
		{-2 * time.Hour, 0, false},
	} {
		w := newWorld(t)
		began := w.Now()
		w.pass(time.Minute)
		w.restart(t, c.off)
		w.want(t, c.off.String(), c.steady, began.Add(time.Minute+c.step))
		if j, _ := w.Look(); j.Down != (c.off > time.Hour) {
			t.Errorf("%v: %+v", c.off, j)
		}
	}
}

// A jump that was not confirmed is still one after a restart.
func TestRestartInAJump(t *testing.T) {
	w := newWorld(t)
	began := w.Now()
	w.wall = w.wall.Add(26 * time.Hour)
	w.Look()
	w.restart(t, time.Minute)
	w.want(t, "after it", false, began.Add(time.Hour)) // never more than a restart takes
	w.wall = w.wall.Add(-26 * time.Hour)
	w.Look()
	w.pass(w.o.MaxWait + 6*time.Hour)
	if !w.Steady() {
		t.Error("never believed again")
	}
}

// Without a file the newest stored item gives the time of the clock.
func TestFirstStart(t *testing.T) {
	w := newWorld(t)
	w.o.File = filepath.Join(t.TempDir(), "age")
	for _, c := range []struct {
		newest time.Duration // from now
		want   time.Duration
		steady bool
	}{{-time.Minute, 0, true}, {-26 * time.Hour, -25 * time.Hour, false}, {26 * time.Hour, 0, true}} {
		w.o.Newest = w.wall.Add(c.newest)
		w.Clock = Open(w.o)
		w.want(t, c.newest.String(), c.steady, w.wall.Add(c.want))
	}
}

func TestADamagedFileIsPassedOver(t *testing.T) {
	w := newWorld(t)
	for _, text := range []string{"", "age x wall 5", "age 5", "age -1 wall 2", "age 99999999999999999999 wall 1", "age 1 wall 9000000000000001"} {
		if err := os.WriteFile(w.o.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w.Clock = Open(w.o)
		w.want(t, text, true, w.wall)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("age 1772366400000000 wall 1772366400000000\n")
	f.Add("age 1 wall")
	f.Fuzz(func(t *testing.T, text string) {
		left, wall, err := parse(text)
		if err == nil && (left.Before(time.UnixMicro(1)) || wall.After(time.UnixMicro(most))) {
			t.Errorf("%q: %v, %v", text, left, wall)
		}
	})
}
