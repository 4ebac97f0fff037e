package bus

import (
	"errors"
	"net"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// A writer connects on the first event, and again when the master was replaced.
func TestWriterOutlivesTheMaster(t *testing.T) {
	for _, framing := range []Framing{Length, Bare} {
		dir := sockDir(t)
		w := NewWriter(ClientConfig{SockDir: dir, Framing: framing})
		fire := func() error { return w.Fire(t.Context(), "mine", wire.NewMap("a", 1)) }
		if err := fire(); !errors.Is(err, ErrAway) {
			t.Errorf("without a master: %v", err)
		}
		for range 2 {
			b := New(nil)
			in := b.Subscribe(SubscribeOptions{})
			s, err := Serve(b, ServerConfig{SockDir: dir, Log: quiet()})
			if err != nil {
				t.Fatal(err)
			}
			if err := fire(); err != nil {
				t.Error(err)
			}
			if e := <-in.C(); e.Tag != "mine" {
				t.Errorf("got %+v", e)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			b.Close()
		}
		if err := fire(); !errors.Is(err, ErrAway) {
			t.Errorf("after the master: %v", err)
		}
		if err := w.Fire(t.Context(), "", wire.NewMap()); !errors.Is(err, ErrTag) {
			t.Errorf("%v", err)
		}
		for range 2 {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := fire(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v", err)
		}
	}
}
