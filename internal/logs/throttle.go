package logs

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
)

const (
	// Every is the interval at which a repeated event is reported.
	Every = 10 * time.Second
	// Max bounds the number of different events that are remembered. Beyond it, the event that
	// is least recent is forgotten, and reported anew.
	Max = 4096
)

// Throttle limits how often a repeated event is reported: the first time, and then once in
// [Every]. The zero value is ready to use. It is safe for concurrent use.
type Throttle[K comparable] struct {
	mu     sync.Mutex
	recent *lru.Guarded[K, *repeated] // nil until the first event
}

type repeated struct {
	at         time.Time
	unreported uint64
}

// Note counts an event. If n is positive, the caller should report it: it has happened n times
// since the last report. A clock that was set back suppresses nothing.
func (f *Throttle[K]) Note(what K, now time.Time) (n uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.recent == nil {
		f.recent = lru.NewGuarded[K, *repeated](Max, nil)
	}
	last, known := f.recent.Get(what)
	if !known {
		last = &repeated{}
		f.recent.Add(what, last)
	}
	last.unreported++
	if !last.at.IsZero() && now.Sub(last.at) < Every && !now.Before(last.at) {
		return 0
	}
	n, last.unreported, last.at = last.unreported, 0, now
	return n
}

// Cause returns the innermost text of an error, without the operation, file or job. It
// identifies repetitions of the same fault.
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
