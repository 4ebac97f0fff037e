package wire

import (
	"time"

	"github.com/momtree/mom/value"
)

// Extension types of Salt (Salt wire reference §3).
const (
	extTime  = 78 // a datetime without a zone, as text
	extConst = 79 // a named constant, msgpack of [name, value]
)

// timeLayout is strftime's %Y%m%dT%H:%M:%S.%f.
const timeLayout = "20060102T15:04:05.000000"

// The types that [Decode] returns are in a package that other modules can use, too.
type (
	// Map is a map that keeps the order of its keys.
	Map = value.Map
	// Const is a named constant: extension 79.
	Const = value.Const
	// Ext is an extension value of any other type, or an unreadable one of Salt's types.
	Ext = value.Ext
)

// NewMap returns a map with alternating keys and values. It panics on an odd count.
func NewMap(kv ...any) *Map { return value.NewMap(kv...) }

// Encoder is implemented by values that encode themselves, such as the typed loads of this
// package.
type Encoder interface {
	Encode() ([]byte, error)
}

// parseExt decodes an extension. depth is the remaining nesting.
func parseExt(typ int8, data []byte, depth int) any {
	switch typ {
	case extTime:
		if t, err := time.Parse(timeLayout, string(data)); err == nil && t.Format(timeLayout) == string(data) {
			return t
		}
	case extConst:
		if c, ok := parseConst(data, depth-1); ok {
			return c
		}
	}
	return Ext{Type: typ, Data: append([]byte(nil), data...)}
}

func parseConst(data []byte, depth int) (Const, bool) {
	if depth <= 0 || Scan(data, Limits{MaxDepth: depth}) != nil {
		return Const{}, false
	}
	d := decoder{b: data, depth: depth}
	v, err := d.value()
	if err != nil {
		return Const{}, false
	}
	pair, ok := v.([]any)
	if !ok || len(pair) != 2 {
		return Const{}, false
	}
	name, ok := pair[0].(string)
	return Const{Name: name, Value: pair[1]}, ok
}
