package link

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// ErrNotTaken means that the parent answered, but not that all is well.
var ErrNotTaken = errors.New("the master above did not take it")

// Outcome is Verdict for `_syndic_return`, of which the parent may not take a part.
func Outcome(v wire.Raw, err error) (wire.Verdicts, error) {
	if err == nil && !wire.IsNil(v) {
		if rows, ok := wire.ReadVerdicts(v); ok {
			return rows, nil
		}
	}
	return wire.Verdicts{}, Verdict(v, err)
}

// Verdict reads the outcome of a request. A master that has done what it was asked
// answers None; the empty text is how one says that its handler failed. An answer
// of that kind, or an error after which the parent is known to be there, is
// ErrNotTaken: something of what was sent may be at fault.
func Verdict(v wire.Raw, err error) error {
	switch {
	case err == nil && wire.IsNil(v):
		return nil
	case err == nil:
		answer, jsonErr := wire.ToJSON(v)
		if jsonErr != nil {
			answer = []byte("what is no value")
		}
		return fmt.Errorf("%w: the answer is %.80s", ErrNotTaken, answer)
	case errors.Is(err, channel.ErrFailed), errors.Is(err, zmtp.ErrFrameSize):
		return fmt.Errorf("%w: %w", ErrNotTaken, err)
	}
	return err
}
