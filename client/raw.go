package client

import (
	"encoding/json"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Raw is a value as it came from the master, msgpack by Salt's rules. It is decoded
// when somebody asks, so that who only counts returns or passes them on pays nothing.
// No bytes at all mean nil. Its bytes must not be changed.
type Raw []byte

// RawOf packs a value: of Go's own types, structs aside, or those of package value.
func RawOf(v any) (Raw, error) {
	b, err := wire.Encode(v)
	return b, err
}

// Decode gives the value with all that it holds, as package value describes it: maps
// are [*value.Map] and keep their order.
func (r Raw) Decode() (any, error) {
	if len(r) == 0 {
		return nil, nil
	}
	return wire.Decode(r)
}

// Map is Decode for a value that has to be a map.
func (r Raw) Map() (*value.Map, error) { return wire.DecodeMap(r) }

// Field gives the value that a map has under a key of text, as it is there; nil if it
// has none.
func (r Raw) Field(key string) (Raw, error) {
	f, err := wire.Field(wire.Raw(r), key)
	return Raw(f), err
}

// isTrue reports whether a map has true under a key.
func (r Raw) isTrue(key string) bool {
	f, err := r.Field(key)
	if err != nil {
		return false
	}
	v, err := f.Decode()
	b, ok := v.(bool)
	return err == nil && ok && b
}

// Unmarshal stores the value in what dst points to, by way of JSON and therefore by
// the rules and tags of [encoding/json]; an *any gets what [value.Plain] makes of it.
// Bytes that are no UTF-8 do not survive in text, and of numbers that JSON has no
// word for, such as NaN, an error tells: Decode keeps all.
func (r Raw) Unmarshal(dst any) error {
	if p, ok := dst.(*any); ok {
		v, err := r.Decode()
		if err == nil {
			*p = value.Plain(v)
		}
		return err
	}
	b, err := r.MarshalJSON()
	if err != nil {
		return err
	}
	return json.Unmarshal(b, dst)
}

// MarshalJSON gives the value as JSON, maps in their order.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return wire.ToJSON(wire.Raw(r))
}

// UnmarshalJSON packs JSON, objects in their order, so that what came as JSON can be an
// argument. Whole numbers stay such.
func (r *Raw) UnmarshalJSON(b []byte) error {
	v, err := wire.FromJSON(b)
	if err == nil {
		*r = Raw(v)
	}
	return err
}

// String gives the value as JSON, to be read by people.
func (r Raw) String() string {
	b, err := r.MarshalJSON()
	if err != nil {
		return fmt.Sprintf("(a value that cannot be read: %v)", err)
	}
	return string(b)
}

// Value decodes what stands inside another value. See [value.Lazy].
func (r Raw) Value() (any, error) { return r.Decode() }

// Encode checks the bytes where they are to be sent inside another value.
func (r Raw) Encode() ([]byte, error) {
	if len(r) == 0 {
		return []byte{0xc0}, nil
	}
	return r, wire.Scan(wire.Raw(r), wire.Limits{})
}
