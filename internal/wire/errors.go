package wire

import (
	"errors"
	"fmt"
)

// Reasons why msgpack bytes are invalid. Errors of this package wrap one of these and name the
// byte or the field.
var (
	ErrTruncated = errors.New("bytes end in the middle of a value")
	ErrTrailing  = errors.New("bytes left over after the value")
	ErrTooLarge  = errors.New("more bytes than allowed")
	ErrTooDeep   = errors.New("nested deeper than allowed")
	ErrTooMany   = errors.New("more elements than allowed")
	ErrBadCode   = errors.New("byte 0xc1 is no msgpack code")
	ErrType      = errors.New("value has the wrong type")
	ErrKey       = errors.New("a list or map cannot be a map key")
	ErrMissing   = errors.New("field is missing")
	ErrTag       = errors.New("not an event: no tag in front of the data")
	ErrJSON      = errors.New("bad JSON")
)

// at adds the position to an error.
func at(pos int, err error) error { return fmt.Errorf("msgpack at byte %d: %w", pos, err) }

// wrongType returns the error for a value of the wrong type.
func wrongType(want string, r Raw) error {
	return fmt.Errorf("%w: want %s, have %s", ErrType, want, KindOf(r))
}

// inField adds the load and the field to an error.
func inField(load, field string, err error) error {
	return fmt.Errorf("%s load: field %q: %w", load, field, err)
}

// missing returns the error for a load without a required field.
func missing(load, field string) error { return inField(load, field, ErrMissing) }
