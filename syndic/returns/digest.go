package returns

import "github.com/momtree/mom/internal/wire"

// Body says what of a return goes up.
type Body int

// The values of syndic_forward_returns.
const (
	Full   Body = iota // all of it
	Digest             // that it came and its retcode; the result stays here
	Quiet              // the same, and the master above tells nobody of it
)

// BodyOf reads the option's value.
func BodyOf(option string) Body {
	switch option {
	case "digest":
		return Digest
	case "none":
		return Quiet
	}
	return Full
}

// body is what goes up in this batch.
func (s *Handover) body() Body {
	if s.o.Body == nil {
		return Full
	}
	return s.o.Body()
}

// digest takes the result out of a return on its way up; size is what the whole
// return has. What came from below as a digest stays one.
func digest(r *wire.Map, full wire.Raw, b Body) {
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
