package timing

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if err := Sleep(ctx, time.Second); err != nil || time.Since(began) != time.Second {
			t.Errorf("a second took %v: %v", time.Since(began), err)
		}
		if err := Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("it was ended after %v: %v", time.Since(began), err)
		}
	})
}
