package wire

import (
	"errors"
	"fmt"
)

// How deep values may nest, on every way through a tree. The one rule: a value that
// was taken at one door is refused at no door above for its depth.
//
// What people and their programs make (an argument list, a result, the data of an
// event) is a field of some load, and each way wraps that field in lists and maps of
// its own. The deepest wrapping is [WrapDepth]. So each of the following holds:
//
//	ValueDepth + WrapDepth <= DefaultMaxDepth < DoorDepth
//
// A minion holds its results to ValueDepth, the first master holds what it publishes
// and what stock minions return to it, and every master above checks the same figure
// and not that of its own wrapping, so no tier is narrower than the one below it.
// Values are unwrapped and wrapped again at each tier: the wrapping does not grow with
// the number of tiers. A master or minion may be set to less than ValueDepth (bound
// depth); what is deeper is refused there as it is with the default.
const (
	// ValueDepth is how many lists and maps inside each other one field of a load may
	// hold, the field's own value included.
	ValueDepth = 48
	// WrapDepth is how many levels any way puts around such a field: `_syndic_return`
	// with a return has five, `_minion_event` with a runner's result of a node the most.
	WrapDepth = 10
	// EventDepth is how deep the data of an event may be that goes up a tree: three
	// levels less than what is decoded, for `_minion_event` has these around it.
	EventDepth = DefaultMaxDepth - 3
	// DefaultMaxDepth is how deep a value may be to be decoded or told on an event bus.
	DefaultMaxDepth = 64
	// DoorDepth is what the walks of this package pass over without decoding it, so
	// that a load can be told whose it is, and refused by name, although a value in it
	// is too deep: Python's msgpack packs no more than 511 levels.
	DoorDepth = 512
)

// tooDeep says which depth was exceeded.
type tooDeep int

func (d tooDeep) Error() string        { return fmt.Sprintf("nested deeper than %d levels", int(d)) }
func (d tooDeep) Is(target error) bool { return target == ErrTooDeep }

// FitsDepth reports whether a value has at most depth lists and maps inside each other:
// [ValueDepth], or what the bound of the same name says. Its error wraps [ErrTooDeep].
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

// FitsEvent reports whether the data of an event keeps to [EventDepth].
func FitsEvent(data Raw) error { return FitsDepth(data, EventDepth) }

// ScanDoor reports whether b is one msgpack value that a door may look into, down to
// [DoorDepth]. deep tells that some field of it may nest deeper than depth, which
// [FitFields] finds out.
func ScanDoor(b []byte, depth int) (deep bool, err error) {
	err = Scan(b, Limits{MaxDepth: depth + 1})
	if errors.Is(err, ErrTooDeep) {
		//mutant:depth-is-checked-first
		return true, Scan(b, Limits{MaxDepth: DoorDepth})
	}
	return false, err
}

// FitFields reports whether each field of a load keeps to depth, as [FitsDepth] does
// for one. Its error names the field.
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
