package engine

import (
	"context"
	"errors"
	"testing"
)

// A request learns whether its records are stored, before or after the commit.
func TestWaitStored(t *testing.T) {
	ctx := t.Context()
	e := New(Config{})
	defer e.Close()
	var early []error
	e.WhenStored(5, func(err error) { early = append(early, err) })
	e.Settle(Stored{UpTo: 4})
	if len(early) != 0 {
		t.Errorf("heard of the 5th when the 4th was stored: %v", early)
	}
	e.Settle(Stored{UpTo: 5})
	if len(early) != 1 || early[0] != nil {
		t.Errorf("it was stored: %v", early)
	}
	full := errors.New("no space left on device")
	e.Settle(Stored{UpTo: 7, Err: full})
	for upTo, want := range map[uint64]error{4: nil, 5: nil, 6: full, 7: full} {
		err := e.WaitStored(ctx, upTo)
		if (want == nil) != (err == nil) || want != nil && !(errors.Is(err, want) && errors.Is(err, ErrNotStored)) {
			t.Errorf("up to %d: %v, want %v", upTo, err, want)
		}
	}
	e.Settle(Stored{UpTo: 8, Err: full})
	if err := e.WaitStored(ctx, 6); !errors.Is(err, full) {
		t.Errorf("the first of two failures: %v", err)
	}
	e.Settle(Stored{UpTo: 6}) // a batch stores some of the records that a failure left
	for upTo, want := range map[uint64]error{5: nil, 6: nil, 7: full, 8: full} {
		if err := e.WaitStored(ctx, upTo); !errors.Is(err, want) {
			t.Errorf("after a part was stored, up to %d: %v, want %v", upTo, err, want)
		}
	}
	e.Settle(Stored{UpTo: 8})
	if err := e.WaitStored(ctx, 8); err != nil {
		t.Errorf("all are stored: %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	got := make(chan error, 1)
	go func() { got <- e.WaitStored(gone, 100) }()
	cancel()
	if err := <-got; !errors.Is(err, ErrNotStored) || !errors.Is(err, context.Canceled) {
		t.Errorf("a request that was cancelled: %v", err)
	}
}

// Waits end with the engine.
func TestWaitStored_End(t *testing.T) {
	done := make(chan struct{})
	close(done)
	e := New(Config{Done: done})
	defer e.Close()
	if err := e.WaitStored(t.Context(), 1); !errors.Is(err, ErrNotStored) {
		t.Errorf("got %v", err)
	}
}
