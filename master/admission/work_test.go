package admission

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// Requests of many values wait for each other, small ones do not, and one larger than the bound is
// served alone. None waits for ever.
func TestWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWork(10_000)
		first, err := w.Begin(t.Context(), 6000)
		if err != nil {
			t.Fatal(err)
		}
		small, err := w.Begin(t.Context(), lightWork)
		if err != nil {
			t.Fatal(err)
		}
		small()
		if _, err := w.Begin(t.Context(), 6000); !errors.Is(err, ErrBusy) {
			t.Errorf("more than the bound at once: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := w.Begin(ctx, 6000); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		alone := make(chan func())
		go func() {
			done, err := w.Begin(t.Context(), 1<<30)
			if err != nil {
				t.Error(err)
			}
			alone <- done
		}()
		synctest.Wait()
		first()
		done := <-alone
		if _, err := w.Begin(t.Context(), 5000); !errors.Is(err, ErrBusy) {
			t.Errorf("beside one that fills it: %v", err)
		}
		done()
	})
}
