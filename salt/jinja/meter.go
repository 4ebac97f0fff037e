package jinja

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode/utf8"
)

// The meter of a run counts the work and the allocations of its operations. Only it ends a
// rendering. An operation that walks, copies or compares something calls [Run.Work] for
// what it touches and [Run.Alloc] before it allocates, or uses a method of Run that does so
// ([Run.Iterate], [Run.Equal], [Run.Str], [Run.Set], …).
//
// A unit of work is about a nanosecond: reading one byte of text, or visiting an eighth of
// a value. A step in [Limits] is stepWork units.
const (
	stepWork  = 256
	visitWork = 8
	// lookWork is how much work is done between two checks of the context.
	lookWork = 1 << 17
)

// Memory of values, in bytes.
const (
	slotBytes  = 16  // an element of a list
	boxBytes   = 16  // the header of a text in a list
	pairBytes  = 112 // a key of a dict with its value and index entry
	smallBytes = 64  // a list, dict, scope or function
)

// Work counts n units. It fails the run if there are too many or its time is over.
func (r *Run) Work(n int) {
	r.worked += int64(max(n, 0))
	//mutant:template-deadline
	if r.worked >= r.nextLook {
		r.look()
	}
}

// look checks the work against its limit, and the context.
func (r *Run) look() {
	r.nextLook = min(r.worked+lookWork, r.mostWork+1)
	//mutant:render-steps
	if r.worked > r.mostWork {
		throwKind(KindLimit, "rendering%s takes more than %d steps", r.ofName(), r.limits.Steps)
	}
	err := r.ctx.Err()
	if err == nil && r.timed && time.Now().After(r.deadline) {
		// The timer of the context may be late if all processors are busy.
		err = context.DeadlineExceeded
	}
	//mutant:render-deadline
	if err != nil {
		panic(&Error{Kind: KindLimit, Text: fmt.Sprintf("rendering%s took too long: %v", r.ofName(), err), Err: err})
	}
}

// ofName returns " of NAME" for errors about limits; "" if the rendering has no name.
func (r *Run) ofName() string {
	if r.start.Name == "" {
		return ""
	}
	return " of " + r.start.Name
}

// Alloc counts n bytes before they are allocated. It fails the run if the rendering has too
// many. [Run.recount] subtracts bytes that are no longer in use.
func (r *Run) Alloc(n int) {
	//mutant:template-memory
	if n < 0 || r.bytes+n > r.limits.Memory {
		throwKind(KindLimit, "rendering%s exceeded %s of memory", r.ofName(), sizeText(r.limits.Memory))
	}
	r.bytes += n
}

// sizeText formats a number of bytes: "64 MiB".
func sizeText(n int) string {
	for _, u := range []struct {
		size int
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size && n%u.size == 0 {
			return fmt.Sprintf("%d %s", n/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// step counts an iteration or a call.
func (r *Run) step() { r.Work(stepWork) }

// Tick counts a step.
func (r *Run) Tick() { r.step() }

// text counts a new text of n bytes, whatever its use.
func (r *Run) text(n int) {
	//mutant:render-text
	if n > r.limits.Output || n < 0 {
		throwKind(KindLimit, "a text of %d bytes is more than %d", n, r.limits.Output)
	}
	r.Alloc(n + boxBytes)
	r.Work(n)
}

// Scratch counts n bytes of temporary memory.
func (r *Run) Scratch(n int) {
	r.Alloc(n)
	r.Work(n)
}

// Charge counts a text of n bytes before a filter builds it.
func (r *Run) Charge(n int) { r.text(n) }

// Fits fails the run if a list or dict of n elements is too large. It counts nothing.
func (r *Run) Fits(n int) {
	//mutant:render-lists
	if n > r.limits.Values || n < 0 {
		throwKind(KindLimit, "a list or dict of %d elements is more than %d", n, r.limits.Values)
	}
}

// Room counts a list of n elements before it is built.
func (r *Run) Room(n int) {
	r.Fits(n)
	r.Alloc(n*slotBytes + smallBytes)
	r.Work(n * visitWork)
}

// Walk counts n elements that are visited.
func (r *Run) Walk(n int) { r.Work(n * visitWork) }

// grow counts the elements added to an existing list.
func (r *Run) grow(have, more int) {
	r.Fits(have + more)
	r.Alloc(more * (2*slotBytes + smallBytes)) // append over-allocates and leaves the old array behind
	r.Work((more + 1) * visitWork)
}

// touch counts a walk over operands without their content: the cost of every operation that
// does not count more precisely itself.
func (r *Run) touch(vs ...any) {
	n := 0
	for _, v := range vs {
		n += shallow(v)
	}
	r.Work(n)
}

// shallow returns the work of walking over v once.
func shallow(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case Bytes:
		return len(v)
	case *List:
		return len(v.Items) * visitWork
	case Tuple:
		return len(v) * visitWork
	case *Set:
		return v.d.Len() * visitWork
	case *Dict:
		return v.Len() * visitWork
	case *DictView:
		return v.d.Len() * visitWork
	}
	return 0
}

// Builder builds a text piece by piece. Its growth is counted.
type Builder struct {
	strings.Builder
	r *Run
}

func (b *Builder) room(n int) {
	//mutant:render-text-2,template-repr-2
	if b.Len()+n > b.r.limits.Output {
		throwKind(KindLimit, "a text of %d bytes is more than %d", b.Len()+n, b.r.limits.Output)
	}
	if b.Cap()-b.Len() < n {
		//mutant:template-join
		b.r.Alloc(2*b.Cap() + n)
		b.Grow(n)
	}
	b.r.Work(n)
}

// WriteString appends s.
func (b *Builder) WriteString(s string) (int, error) {
	b.room(len(s))
	return b.Builder.WriteString(s)
}

// WriteByte appends c.
func (b *Builder) WriteByte(c byte) error {
	b.room(1)
	return b.Builder.WriteByte(c)
}

// WriteRune appends c.
func (b *Builder) WriteRune(c rune) (int, error) {
	b.room(utf8.UTFMax)
	return b.Builder.WriteRune(c)
}

// Write appends p.
func (b *Builder) Write(p []byte) (int, error) {
	b.room(len(p))
	return b.Builder.Write(p)
}

// Builder returns an empty Builder.
func (r *Run) Builder() *Builder { return &Builder{r: r} }

// part returns a piece of s that does not keep the whole alive. Otherwise a text of one
// character could hold megabytes that are no longer counted.
func (r *Run) part(s, piece string) string {
	if len(s) > 1<<10 && len(piece) < len(s)/2 {
		r.text(len(piece))
		//mutant:template-piece
		return strings.Clone(piece)
	}
	return piece
}

// runes returns the characters of s.
func (r *Run) runes(s string) []rune {
	r.Alloc(4 * len(s))
	r.Work(len(s))
	return []rune(s)
}

// Count counts n bytes of the text, and the work of writing them.
func (b *Builder) Count(n int) {
	b.r.Alloc(n)
	b.r.Work(n)
}

// TimeLeft returns the remaining time of the run: an hour without a deadline.
func (r *Run) TimeLeft() time.Duration {
	if !r.timed {
		return time.Hour
	}
	return time.Until(r.deadline)
}

// Look fails the run if its context has ended.
func (r *Run) Look() { r.look() }

// Used returns the counted units of work, and the counted bytes.
func (r *Run) Used() (work int64, bytes int) { return r.worked, r.bytes }

// Detached returns a run that renders nothing, for operations on values outside of
// templates.
func (e *Environment) Detached(ctx context.Context, name string) *Run {
	return newRun(ctx, e, Start{Name: name})
}

// Begin returns a run that renders nothing and has the variables of s. It is for calling
// functions of templates from elsewhere.
func (e *Environment) Begin(ctx context.Context, s Start) *Run {
	r := newRun(ctx, e, s)
	if r.globals = maps.Clone(s.Vars); r.globals == nil {
		r.globals = map[string]any{}
	}
	r.ctxt = newRoot(&Template{env: e}, s.Vars)
	return r
}

// Detached returns a run without filters that renders nothing.
func Detached(ctx context.Context, l Limits, name string) *Run {
	return (&Environment{Limits: l}).Detached(ctx, name)
}
