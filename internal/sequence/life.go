package sequence

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Life is one run of a node's process, whose numbers are above those of all runs
// before. It is safe for concurrent use.
type Life struct{ last atomic.Uint64 }

// span is more than one life may number: a request each nanosecond of 18 minutes.
const span = 1 << 40

// NewLife makes one that begins with the time of day.
func NewLife(now time.Time) *Life {
	l := &Life{}
	l.last.Store(uint64(max(now.UnixNano(), 1)))
	return l
}

// Begin is [NewLife] behind the life that the file at path tells of, if the clock has
// been set back since, and writes this one there. With an error the life is as good
// as it can be without the file.
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
		err = crypt.WriteFile(path, b, 0o600)
	}
	if err != nil {
		return l, fmt.Errorf("keep the number of this life: %w", err)
	}
	return l, nil
}

// pass goes on behind a number, if that is higher.
func (l *Life) pass(n uint64) {
	for last := l.last.Load(); last < n && !l.last.CompareAndSwap(last, n); last = l.last.Load() {
	}
}
