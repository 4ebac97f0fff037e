package sequence

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/wire"
)

// Life is one run of a node's process. Its numbers are above those of all earlier runs. It is
// safe for concurrent use.
type Life struct{ last atomic.Uint64 }

// span is above the highest count in one run: a request each nanosecond for 18 minutes.
const span = 1 << 40

// NewLife returns a Life that begins with the time of day.
func NewLife(now time.Time) *Life {
	l := &Life{}
	l.last.Store(uint64(max(now.UnixNano(), 1)))
	return l
}

// Begin is [NewLife], but above the numbers of the run in the file at path, if the clock was
// set back since. It writes the new run to the file. With an error, the Life is usable but may
// begin too low.
func Begin(path string, now time.Time) (*Life, error) {
	l := NewLife(now)
	v, err := wire.ReadFile(path)
	if before := whole(v); before > 0 {
		l.pass(before + span)
	}
	if err != nil {
		return l, err
	}
	b, err := wire.Encode(l.last.Load())
	if err == nil {
		err = durable.WriteFile(path, b, 0o600)
	}
	if err != nil {
		return l, fmt.Errorf("keep the number of this life: %w", err)
	}
	return l, nil
}

// pass continues after n, if n is higher.
func (l *Life) pass(n uint64) {
	for last := l.last.Load(); last < n && !l.last.CompareAndSwap(last, n); last = l.last.Load() {
	}
}
