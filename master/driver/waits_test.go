package driver

import (
	"context"
	"errors"
	"testing"

	"github.com/momtree/mom/master/server"
)

// A request is told of the words that it brought: stored, or not; whether it asks before
// or after it is known.
func TestBooked(t *testing.T) {
	ctx := t.Context()
	d := New(NewBell(), Options{Ctx: ctx})
	got := make(chan error, 1)
	early := d.stored.add(5)
	d.stored.tell(4, nil)
	select {
	case err := <-early:
		t.Errorf("told of the 5th when the 4th was stored: %v", err)
	default:
	}
	d.stored.tell(5, nil)
	if err := <-early; err != nil {
		t.Errorf("it was stored: %v", err)
	}
	full := errors.New("no space left on device")
	d.stored.tell(7, full)
	for upTo, want := range map[uint64]error{4: nil, 5: nil, 6: full, 7: full} {
		err := d.Booked(ctx, upTo)
		if (want == nil) != (err == nil) || want != nil && !(errors.Is(err, want) && errors.Is(err, server.ErrNotStored)) {
			t.Errorf("up to %d: %v, want %v", upTo, err, want)
		}
	}
	d.stored.tell(8, full)
	if err := d.Booked(ctx, 6); !errors.Is(err, full) {
		t.Errorf("the first of two failures: %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	go func() { got <- d.Booked(gone, 100) }()
	cancel()
	if err := <-got; !errors.Is(err, server.ErrNotStored) {
		t.Errorf("who has gone away meanwhile: %v", err)
	}
}
