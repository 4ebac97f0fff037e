package client

import (
	"encoding/json"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Raw is a value as received from the master, msgpack by Salt's rules. Decoding is left to the
// reader, so counting or forwarding returns costs nothing. An empty Raw means nil. The bytes
// must not be modified.
type Raw []byte

// RawOf encodes a value of Go's own types, structs aside, or of package value.
func RawOf(v any) (Raw, error) {
	b, err := wire.Encode(v)
	return b, err
}

// Decode returns the value in the types of package value: a map is a [*value.Map] and keeps
// its order.
func (r Raw) Decode() (any, error) {
	if len(r) == 0 {
		return nil, nil
	}
	return wire.Decode(r)
}

// Map is Decode for a value that must be a map.
func (r Raw) Map() (*value.Map, error) { return wire.DecodeMap(r) }

// Field returns the undecoded value under a text key of a map, or nil if the key is missing.
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

// Unmarshal stores the value in dst by way of JSON, and so by the rules and tags of
// [encoding/json]; an *any gets the result of [value.Plain]. Text that is not UTF-8 is altered,
// and numbers without a JSON form, such as NaN, are an error. Decode preserves both.
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

// MarshalJSON returns the value as JSON. Maps keep their order.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return wire.ToJSON(wire.Raw(r))
}

// UnmarshalJSON encodes JSON as msgpack, so that JSON can be passed as an argument. Objects keep
// their order, and whole numbers stay integers.
func (r *Raw) UnmarshalJSON(b []byte) error {
	v, err := wire.FromJSON(b)
	if err == nil {
		*r = Raw(v)
	}
	return err
}

// String returns the value as JSON, for people to read.
func (r Raw) String() string {
	b, err := r.MarshalJSON()
	if err != nil {
		return fmt.Sprintf("(unreadable value: %v)", err)
	}
	return string(b)
}

// Value decodes the bytes when they are part of another value. See [value.Lazy].
func (r Raw) Value() (any, error) { return r.Decode() }

// Encode validates the bytes when they are sent as part of another value.
func (r Raw) Encode() ([]byte, error) {
	if len(r) == 0 {
		return []byte{0xc0}, nil
	}
	return r, wire.Scan(wire.Raw(r), wire.Limits{})
}
