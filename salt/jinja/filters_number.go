package jinja

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

var numberFilters = map[string]Filter{
	"abs": func(r *Run, v any, _ *Args) any {
		failUndefined(v)
		switch n := v.(type) {
		case float64:
			return math.Abs(n)
		case int64, *big.Int, bool:
			x, _ := toInt(n)
			r.countNumbers("abs", x, new(big.Int))
			return Int(new(big.Int).Abs(x))
		}
		throw("bad operand type for abs(): '%s'", typeName(v))
		return nil
	},
	"int": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_int", 0, "default base")
		r.number(v)
		if n, ok := ParseInt(v, b.Int(1, 10)); ok {
			return n
		}
		if f, ok := ParseFloat(v); ok && !math.IsInf(f, 0) && !math.IsNaN(f) {
			n, _ := big.NewFloat(f).Int(nil)
			return Int(n)
		}
		return b.Any(0, int64(0))
	},
	"float": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_float", 0, "default")
		r.number(v)
		if f, ok := ParseFloat(v); ok {
			return f
		}
		return b.Any(0, 0.0)
	},
	"round": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_round", 0, "precision method")
		f, ok := toFloat(v)
		if !ok {
			failUndefined(v)
			throw("type %s doesn't define __round__ method", typeName(v))
		}
		p, method := b.Int(0, 0), b.Str(1, "common")
		if _, whole := v.(float64); !whole && method == "common" && p >= 0 {
			return v
		}
		scale := math.Pow(10, float64(p))
		switch method {
		case "ceil":
			return math.Ceil(f*scale) / scale
		case "floor":
			return math.Floor(f*scale) / scale
		case "common":
			if p >= 0 && p < 300 {
				// Python rounds the decimal text, half to even.
				r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', p, 64), 64)
				return r
			}
			rounded := math.RoundToEven(f*scale) / scale
			if _, isFloat := v.(float64); !isFloat {
				return int64(rounded)
			}
			return rounded
		}
		throw("method must be common, ceil or floor")
		return nil
	},
	"filesizeformat": func(r *Run, v any, a *Args) any {
		r.number(v)
		binary := a.Bind("do_filesizeformat", 0, "binary").Bool(0, false)
		f, ok := ParseFloat(v)
		if !ok {
			failUndefined(v)
			throw("could not convert string to float: %s", Repr(v))
		}
		base, units := 1000.0, []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
		if binary {
			base, units = 1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
		}
		if f == 1 {
			return "1 Byte"
		}
		if f < base {
			return fmt.Sprintf("%d Bytes", int64(f))
		}
		for i, u := range units {
			unit := math.Pow(base, float64(i+2))
			if f < unit || i == len(units)-1 {
				return fmt.Sprintf("%.1f %s", base*f/unit, u)
			}
		}
		return nil
	},
}

// number counts the work of parsing a number.
func (r *Run) number(v any) {
	if s, ok := v.(string); ok {
		r.Alloc(2 * len(s))
		r.Work(4 * len(s))
		if len(s) <= maxDigits {
			r.Work(len(s) * len(s) / 16)
		}
	}
}

// maxDigits is the longest text of an integer.
const maxDigits = 5000

// ParseInt is Python's int(v), of text in a base.
func ParseInt(v any, base int) (any, bool) {
	switch v := v.(type) {
	case bool, int64, *big.Int:
		n, _ := toInt(v)
		return Int(n), true
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, false
		}
		n, _ := big.NewFloat(v).Int(nil)
		return Int(n), true
	case string:
		s := strings.TrimSpace(v)
		neg := strings.HasPrefix(s, "-")
		s = strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
		if base != 0 {
			for _, p := range []struct {
				base int
				text string
			}{{2, "0b"}, {8, "0o"}, {16, "0x"}} {
				if base == p.base {
					s = strings.TrimPrefix(strings.ToLower(s), p.text)
				}
			}
		}
		if s == "" || len(s) > maxDigits || strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") || strings.Contains(s, "__") || strings.ContainsAny(s[:1], "+-") {
			return nil, false
		}
		if base != 0 {
			s = strings.ReplaceAll(s, "_", "")
		}
		if base < 0 || base == 1 || base > 36 {
			return nil, false
		}
		n, ok := new(big.Int).SetString(s, base)
		if !ok {
			return nil, false
		}
		if neg {
			n.Neg(n)
		}
		return Int(n), true
	}
	failStrict(v)
	return nil, false
}

// ParseFloat is Python's float(v).
func ParseFloat(v any) (float64, bool) {
	if f, ok := toFloat(v); ok {
		return f, true
	}
	s, ok := v.(string)
	if !ok {
		failStrict(v)
		return 0, false
	}
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.ContainsAny(s, "xp") || strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") || strings.Contains(s, "__") {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}
