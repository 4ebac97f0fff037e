package logs

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
)

const (
	// Every is how often what keeps happening is told.
	Every = 10 * time.Second
	// Max bounds the different things that are remembered; one more, and the one that
	// has not happened for the longest time is told anew.
	Max = 4096
)

// Throttle tells when something that keeps happening is to be told: the first time,
// and then once in [Every]. The zero value is ready; it may be used by several
// goroutines.
type Throttle[K comparable] struct {
	mu     sync.Mutex
	recent *lru.Guarded[K, *told] // nil: nothing yet
}

type told struct {
	at     time.Time
	untold uint64
}

// Note counts one more of what. It is to be told if n is above 0: then it has
// happened n times since it was told last. A clock that was set back silences
// nothing.
func (f *Throttle[K]) Note(what K, now time.Time) (n uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.recent == nil {
		f.recent = lru.NewGuarded[K, *told](Max, nil)
	}
	last, known := f.recent.Get(what)
	if !known {
		last = &told{}
		f.recent.Add(what, last)
	}
	last.untold++
	if !last.at.IsZero() && now.Sub(last.at) < Every && !now.Before(last.at) {
		return 0
	}
	n, last.untold, last.at = last.untold, 0, now
	return n
}

// Cause is the text at the bottom of an error, without what was being done and with
// which file or job: by it the same trouble is known again.
func Cause(err error) string {
	if err == nil {
		return ""
	}
	for {
		switch x := err.(type) { //nolint:errorlint // what is wrapped is looked at one by one
		case interface{ Unwrap() error }:
			under := x.Unwrap()
			if under == nil {
				return err.Error()
			}
			err = under
		case interface{ Unwrap() []error }:
			var all []string
			for _, e := range x.Unwrap() {
				if c := Cause(e); c != "" && !slices.Contains(all, c) {
					all = append(all, c)
				}
			}
			return strings.Join(all, "; ")
		default:
			return err.Error()
		}
	}
}
