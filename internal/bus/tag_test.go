package bus

import (
	"errors"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// A reader of the socket gets the tag that was fired.
func TestTags(t *testing.T) {
	b := New(nil)
	sub := b.Subscribe(SubscribeOptions{})
	for _, tag := range []string{"a", "a\nb", "\na", "a\r", "a b", "ü", "a\n\nb", "a\n", "\n", "\n\n", ""} {
		if err := b.Fire(tag, wire.NewMap("x", 1)); err != nil {
			if !errors.Is(err, ErrTag) {
				t.Errorf("%q: %v", tag, err)
			}
			continue
		}
		raw, err := (<-sub.C()).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if e, err := ParseEvent(raw, time.Now()); err != nil || e.Tag != tag {
			t.Errorf("%q is read as %q, %v", tag, e.Tag, err)
		}
	}
}
