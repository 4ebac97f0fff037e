package ownership

import (
	"sync"
	"testing"

	"github.com/momtree/mom/internal/target"
)

// Note does not replace a wider target set meanwhile, as when jobs are restored after a start.
func TestMeant_WidenDuringRestore(t *testing.T) {
	some, err := target.Parse([]any{"a"}, "list", target.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := target.Parse([]any{"a", "b"}, "list", target.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := NewMeant()
	over := make(chan struct{})
	var restart sync.WaitGroup
	restart.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				m.Note("x", "list", some)
			}
		}
	})
	for range 20000 {
		if m.Widen("x", "list", all); m.Excludes("x", "b") || !m.Excludes("x", "c") {
			t.Error("the narrower target won")
			break
		}
	}
	close(over)
	restart.Wait()
}
