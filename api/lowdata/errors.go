package lowdata

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/momtree/mom/value"
)

// ErrMediaType is returned for a body whose content type is not supported.
var ErrMediaType = errors.New("Content type not supported: send application/json, application/x-yaml or application/x-www-form-urlencoded")

// ErrTooLarge is returned for a body beyond its [Bounds].
var ErrTooLarge = errors.New("The body is too large")

// Error is a body, or a chunk of it, that is not valid.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

func invalid(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// shown is a value in an error, shortened.
func shown(v any) string {
	s := fmt.Sprintf("%v", value.Plain(v))
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return strconv.Quote(s)
}
