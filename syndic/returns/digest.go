package returns

import "github.com/momtree/mom/internal/wire"

// Body selects how much of a return is sent.
type Body int

// The values of syndic_forward_returns.
const (
	Full   Body = iota // everything
	Digest             // retcode, success and size; the result stays here
	Quiet              // as Digest, and the parent fires no event for it
)

// BodyOf parses a value of syndic_forward_returns.
func BodyOf(option string) Body {
	switch option {
	case "digest":
		return Digest
	case "none":
		return Quiet
	}
	return Full
}

// body returns how much of each return goes into this batch.
func (s *Handover) body() Body {
	if s.o.Body == nil {
		return Full
	}
	return s.o.Body()
}

// trim removes the result from r according to b. full is the whole stored return. A return that
// arrived from below without its result stays so.
func trim(r *wire.Map, full wire.Raw, b Body) {
	size, was := wire.Digest(full)
	switch {
	case was && (b != Quiet || size < 0):
	case b == Quiet:
		size = -1
	case b == Digest:
		size = int64(len(full))
	default:
		return
	}
	r.Set("return", wire.Trimmed)
	r.Set("fun_args", []any{})
	r.Set(wire.DigestField, size)
}
