package ownership

import (
	"sync"
	"testing"

	"github.com/momtree/mom/internal/target"
)

// The target of a job that an earlier life has left does not take the place of the wider one that
// it was given meanwhile.
func TestMeant_WidenedWhileItIsTakenUp(t *testing.T) {
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
			t.Error("the narrower target is the job's")
			break
		}
	}
	close(over)
	restart.Wait()
}
