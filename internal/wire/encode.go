package wire

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"time"
)

// maxEncodeDepth stops values that contain themselves.
const maxEncodeDepth = 512

// Encode encodes a value by the wire rules (use_bin_type=False). It accepts the types that
// Decode returns, all Go ints and floats, []byte, Raw (written unchanged; an empty one is nil),
// Encoder, and slices and maps of these; the keys of Go maps are sorted. Values above 4 GiB and
// structs that are not an Encoder are errors.
func Encode(v any) ([]byte, error) { return encode(v, wireRules) }

// EncodeBus encodes a value by the rules of the event bus and of files (use_bin_type=True):
// text that is not UTF-8 becomes bin, a Raw is transcoded.
func EncodeBus(v any) ([]byte, error) { return encode(v, busRules) }

func encode(v any, r rules) ([]byte, error) {
	e := encoder{rules: r}
	b, err := e.value(nil, v, 0)
	if err != nil {
		return nil, fmt.Errorf("encoding msgpack: %w", err)
	}
	return b, nil
}

type encoder struct{ rules rules }

func (e encoder) value(b []byte, v any, depth int) ([]byte, error) {
	if depth > maxEncodeDepth {
		return b, ErrTooDeep
	}
	switch v := v.(type) {
	case nil:
		return appendNil(b), nil
	case bool:
		return appendBool(b, v), nil
	case int:
		return appendInt(b, int64(v)), nil
	case int64:
		return appendInt(b, v), nil
	case uint64:
		return appendUint(b, v), nil
	case *big.Int:
		// Numbers with more than 64 bits are sent as text, as in Salt.
		return e.value(b, v.String(), depth)
	case float64:
		return appendFloat(b, v), nil
	case string:
		if len(v) > math.MaxUint32 {
			return b, ErrTooLarge
		}
		return appendStr(b, v, e.rules), nil
	case Raw:
		return e.raw(b, v)
	case []byte:
		if len(v) > math.MaxUint32 {
			return b, ErrTooLarge
		}
		return appendBytes(b, v, e.rules), nil
	case *Map:
		return e.dict(b, v, depth)
	case time.Time:
		return appendTime(b, v)
	case Ext:
		return appendExt(b, v.Type, v.Data), nil
	case Const:
		inner, err := e.value(nil, []any{v.Name, v.Value}, depth+1)
		return appendExt(b, extConst, inner), err
	case Encoder:
		if rv := reflect.ValueOf(v); rv.Kind() == reflect.Pointer && rv.IsNil() {
			return appendNil(b), nil
		}
		raw, err := v.Encode()
		if err != nil {
			return b, err
		}
		return e.raw(b, raw)
	case []string:
		b = appendHead(b, List, len(v))
		for _, s := range v {
			b = appendStr(b, s, e.rules)
		}
		return b, nil
	case map[string]string:
		b = appendHead(b, Dict, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b = appendStr(appendStr(b, k, e.rules), v[k], e.rules)
		}
		return b, nil
	default:
		return e.reflected(b, reflect.ValueOf(v), depth)
	}
}

func (e encoder) raw(b, v []byte) ([]byte, error) {
	switch {
	case len(v) == 0:
		return appendNil(b), nil
	case e.rules == wireRules:
		return append(b, v...), nil
	}
	if err := Scan(v, Limits{}); err != nil {
		return b, err
	}
	return transcode(b, v, e.rules)
}

func (e encoder) dict(b []byte, m *Map, depth int) ([]byte, error) {
	if m == nil {
		return appendNil(b), nil
	}
	var err error
	b = appendHead(b, Dict, m.Len())
	m.Range(func(k, v any) bool {
		if b, err = e.value(b, k, depth+1); err != nil {
			return false
		}
		if b, err = e.value(b, v, depth+1); err != nil {
			err = fmt.Errorf("%v: %w", k, err)
		}
		return err == nil
	})
	return b, err
}

// reflected encodes the types without a case of their own.
func (e encoder) reflected(b []byte, v reflect.Value, depth int) ([]byte, error) {
	switch v.Kind() {
	case reflect.Bool:
		return appendBool(b, v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return appendInt(b, v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return appendUint(b, v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return appendFloat(b, v.Float()), nil
	case reflect.String:
		return appendStr(b, v.String(), e.rules), nil
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return appendNil(b), nil
		}
		return e.value(b, v.Elem().Interface(), depth+1)
	case reflect.Slice, reflect.Array:
		return e.list(b, v, depth)
	case reflect.Map:
		return e.goMap(b, v, depth)
	}
	return b, fmt.Errorf("%w: cannot pack a %s", ErrType, v.Type())
}

func (e encoder) list(b []byte, v reflect.Value, depth int) ([]byte, error) {
	var err error
	b = appendHead(b, List, v.Len())
	for i := range v.Len() {
		if b, err = e.value(b, v.Index(i).Interface(), depth+1); err != nil {
			return b, fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return b, nil
}

func (e encoder) goMap(b []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.Type().Key().Kind() != reflect.String {
		return b, fmt.Errorf("%w: cannot pack a %s: its order is unknown, use *value.Map", ErrType, v.Type())
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch x, y := a.String(), b.String(); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	var err error
	b = appendHead(b, Dict, len(keys))
	for _, k := range keys {
		b = appendStr(b, k.String(), e.rules)
		if b, err = e.value(b, v.MapIndex(k).Interface(), depth+1); err != nil {
			return b, fmt.Errorf("%s: %w", k, err)
		}
	}
	return b, nil
}
