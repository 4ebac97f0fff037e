package delivery

import (
	"context"
	"log/slog"
	"testing"
)

// The last sender delivers alone: the previous one is stopped, and has ended.
func TestOutbox_OneDeliversAtATime(t *testing.T) {
	box, err := OpenOutbox(t.TempDir(), 20_000, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	first, endFirst := box.TakeOver(t.Context())
	ended := make(chan struct{})
	go func() {
		<-first.Done() // the request in flight is cancelled
		close(ended)
		endFirst()
	}()
	second, endSecond := box.TakeOver(t.Context())
	select {
	case <-ended:
	default:
		t.Error("the first still delivers")
	}
	if first.Err() == nil || second.Err() != nil {
		t.Errorf("first %v, second %v", first.Err(), second.Err())
	}
	endSecond()
	ctx, cancel := context.WithCancel(t.Context())
	third, endThird := box.TakeOver(ctx) // at once, since no sender is active
	cancel()
	if third.Err() == nil {
		t.Error("a delivery outlives its session")
	}
	endThird()
}
