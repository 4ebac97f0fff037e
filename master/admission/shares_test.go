package admission

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// A peer has its share and no more; further requests wait without delaying other peers. Peers
// without requests are not recorded.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShares(2, 3)
		var gives []func()
		for range 2 {
			give, err := s.Take(t.Context(), "evil")
			if err != nil {
				t.Fatal(err)
			}
			gives = append(gives, give)
		}
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan error, 3)
		for range 3 {
			go func() {
				give, err := s.Take(ctx, "evil")
				if err == nil {
					give()
				}
				got <- err
			}()
		}
		synctest.Wait()
		if _, err := s.Take(ctx, "evil"); !errors.Is(err, ErrShare) {
			t.Errorf("one too many: %v", err)
		}
		give, err := s.Take(ctx, "good")
		if err != nil {
			t.Fatal(err)
		}
		give()
		gives[0]()
		gives[0]()
		synctest.Wait()
		for range 3 {
			if err := <-got; err != nil {
				t.Errorf("after waiting: %v", err)
			}
		}
		again, err := s.Take(ctx, "evil")
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, err := s.Take(ctx, "evil"); got <- err }()
		synctest.Wait()
		cancel()
		if err := <-got; !errors.Is(err, context.Canceled) {
			t.Errorf("a context that ends: %v", err)
		}
		again()
		gives[1]()
		if len(s.peers) != 0 {
			t.Errorf("%d peers are recorded", len(s.peers))
		}
	})
}
