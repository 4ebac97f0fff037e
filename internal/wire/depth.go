package wire

import (
	"errors"
	"fmt"
)

// How deep values may nest, at every place of a tree. The only rule: a value that one master
// has accepted is not refused for its depth by any master above.
//
// Values from users and programs (an argument list, a result, the data of an event) are a field
// of some load, and each route wraps that field in its own lists and maps. The deepest wrapping
// is [WrapDepth]. So the following must hold:
//
//	ValueDepth + WrapDepth <= DefaultMaxDepth < DoorDepth
//
// A minion limits its results to ValueDepth. The first master limits the publications that it
// sends and the returns of stock minions. Every master above checks the same limit for the
// field, without the wrapping, so no tier is stricter than the one below. Each tier unwraps and
// wraps values again: the wrapping does not grow with the number of tiers. A master or minion
// can be set to less than ValueDepth (bound depth); it refuses deeper values in the same way.
const (
	// ValueDepth is how many nested lists and maps one field of a load may have, counting the
	// field's own value.
	ValueDepth = 48
	// WrapDepth is how many levels any route adds around such a field: `_syndic_return` with a
	// return has five, `_minion_event` with a runner's result of a node the most.
	WrapDepth = 10
	// EventDepth is how deep the data of an event that goes up a tree may be: three levels less
	// than the limit for decoding, because `_minion_event` adds these.
	EventDepth = DefaultMaxDepth - 3
	// DefaultMaxDepth is how deep a value may be to be decoded or fired on an event bus.
	DefaultMaxDepth = 64
	// DoorDepth is how deep the functions of this package can skip values without decoding
	// them. So the sender of a load can be found, and the load refused by name, even if a value
	// in it is too deep: Python's msgpack packs no more than 511 levels.
	DoorDepth = 512
)

// tooDeep is the error for more nested levels than that.
type tooDeep int

func (d tooDeep) Error() string        { return fmt.Sprintf("nested deeper than %d levels", int(d)) }
func (d tooDeep) Is(target error) bool { return target == ErrTooDeep }

// FitsDepth returns an error that wraps [ErrTooDeep] if a value has more than depth nested
// lists and maps. depth is [ValueDepth], or the bound depth.
func FitsDepth(v Raw, depth int) error {
	if len(v) == 0 {
		return nil
	}
	err := Scan(v, Limits{MaxDepth: depth})
	if errors.Is(err, ErrTooDeep) {
		return tooDeep(depth)
	}
	return err
}

// FitsEvent returns an error if the data of an event is deeper than [EventDepth].
func FitsEvent(data Raw) error { return FitsDepth(data, EventDepth) }

// ScanDoor returns an error unless b is one msgpack value, at most [DoorDepth] deep. deep
// reports that some field of it may be deeper than depth; [FitFields] finds out.
func ScanDoor(b []byte, depth int) (deep bool, err error) {
	err = Scan(b, Limits{MaxDepth: depth + 1})
	if errors.Is(err, ErrTooDeep) {
		//mutant:depth-is-checked-first
		return true, Scan(b, Limits{MaxDepth: DoorDepth})
	}
	return false, err
}

// FitFields returns an error that names the field if a field of a load is deeper than depth;
// see [FitsDepth].
func FitFields(load Raw, depth int) error {
	if FitsDepth(load, depth+1) == nil {
		return nil
	}
	return Fields(load, func(key string, val Raw) error {
		if err := FitsDepth(val, depth); err != nil {
			return fmt.Errorf("field %q: %w", key, err)
		}
		return nil
	})
}
