package link

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// ErrNotTaken means that the parent answered, but did not accept the request.
var ErrNotTaken = errors.New("not accepted by the parent")

// Outcome is [Verdict] for `_syndic_return`, whose answer may refuse single returns.
func Outcome(v wire.Raw, err error) (wire.Verdicts, error) {
	if err == nil && !wire.IsNil(v) {
		if rows, ok := wire.ReadVerdicts(v); ok {
			return rows, nil
		}
	}
	return wire.Verdicts{}, Verdict(v, err)
}

// Verdict returns the outcome of a request. A master answers None for success and the empty text if
// its handler failed. Any answer but None, and any error that proves the parent is there, is
// [ErrNotTaken]: something in the request may be at fault.
func Verdict(v wire.Raw, err error) error {
	switch {
	case err == nil && wire.IsNil(v):
		return nil
	case err == nil:
		answer, jsonErr := wire.ToJSON(v)
		if jsonErr != nil {
			answer = []byte("not a value")
		}
		return fmt.Errorf("%w: the answer is %.80s", ErrNotTaken, answer)
	case errors.Is(err, channel.ErrFailed), errors.Is(err, zmtp.ErrFrameSize):
		return fmt.Errorf("%w: %w", ErrNotTaken, err)
	}
	return err
}
