package jinja

import (
	"math/big"
	"strconv"
	"strings"
)

// percent is Python's s % v.
func (r *Run) percent(s string, v any) string {
	args, single := []any{v}, true
	if t, ok := v.(Tuple); ok {
		args, single = t, false
	}
	mapping, _ := v.(*Dict)
	next := 0
	take := func() any {
		if next >= len(args) {
			throw("not enough arguments for format string")
		}
		next++
		return args[next-1]
	}
	b := r.Builder()
	usedMap := false
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			_ = b.WriteByte(s[i])
			continue
		}
		i++
		var val any
		named := false
		if i < len(s) && s[i] == '(' {
			end := strings.IndexByte(s[i:], ')')
			if end < 0 {
				throw("incomplete format key")
			}
			if mapping == nil {
				throw("format requires a mapping")
			}
			key := s[i+1 : i+end]
			got, ok := r.Get(mapping, key)
			if !ok {
				throw("%s", Repr(key))
			}
			val, named, usedMap = got, true, true
			i += end + 1
		}
		sp := spec{fill: ' ', prec: -1, percent: true}
		for ; i < len(s) && strings.IndexByte("#0- +", s[i]) >= 0; i++ {
			switch s[i] {
			case '#':
				sp.alt = true
			case '0':
				sp.zero = true
			case '-':
				sp.align = '<'
			case ' ', '+':
				if sp.sign != '+' {
					sp.sign = s[i]
				}
			}
		}
		i = sp.number(s, i, &sp.width, take)
		if i < len(s) && s[i] == '.' {
			sp.prec = 0
			i = sp.number(s, i+1, &sp.prec, take)
		}
		for i < len(s) && strings.IndexByte("hlL", s[i]) >= 0 {
			i++
		}
		if i >= len(s) {
			throw("incomplete format")
		}
		if s[i] == '%' {
			_ = b.WriteByte('%')
			continue
		}
		if !named {
			val = take()
		}
		r.Work(stepWork / 4)
		r.Alloc(4*(sp.width+max(sp.prec, 0)) + smallBytes)
		_, _ = b.WriteString(r.percentVerb(sp, s[i], val, i))
	}
	if next < len(args) && !usedMap && (!single || mapping == nil) {
		if _, isList := v.(*List); !single || !isList {
			throw("not all arguments converted during string formatting")
		}
	}
	return b.String()
}

func (sp *spec) number(s string, i int, to *int, take func() any) int {
	if i < len(s) && s[i] == '*' {
		n, ok := smallInt(take())
		if !ok {
			throw("* wants int")
		}
		if n < 0 {
			sp.align, n = '<', -n
		}
		*to = checkWidth(n)
		return i + 1
	}
	from := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i > from {
		n, err := strconv.ParseInt(s[from:i], 10, 64)
		if err != nil {
			n = maxWidth + 1
		}
		*to = checkWidth(n)
	}
	return i
}

func checkWidth(n int64) int {
	if n > maxWidth {
		throwKind(KindLimit, "a format is wider than %d", maxWidth)
	}
	return int(n)
}

func (r *Run) percentVerb(sp spec, verb byte, v any, at int) string {
	switch verb {
	case 's':
		sp.zero = false
		return r.padText(sp, r.Str(v))
	case 'r', 'a':
		sp.zero = false
		return r.padText(sp, r.Repr(v))
	case 'c':
		if n, ok := smallInt(v); ok {
			return r.padText(sp, string(rune(n)))
		}
		return r.padText(sp, r.Str(v))
	}
	failUndefined(v)
	if !isNumber(v) {
		if verb == 'd' || verb == 'i' || verb == 'u' {
			throw("%%%c format: a real number is required, not %s", verb, typeName(v))
		}
		if strings.IndexByte("oxXeEfFgG", verb) >= 0 {
			if strings.IndexByte("oxX", verb) >= 0 {
				throw("%%%c format: an integer is required, not %s", verb, typeName(v))
			}
			throw("must be real number, not %s", typeName(v))
		}
	}
	switch verb {
	case 'd', 'i', 'u':
		n, ok := toInt(v)
		if !ok {
			n, _ = big.NewFloat(v.(float64)).Int(nil)
		}
		sp.verb = 'd'
		return r.padWhole(sp, n)
	case 'o', 'x', 'X':
		n, ok := toInt(v)
		if !ok {
			throw("%%%c format: an integer is required, not %s", verb, typeName(v))
		}
		sp.verb = verb
		return r.padWhole(sp, n)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		f, _ := toFloat(v)
		sp.verb = verb
		return sp.float(f)
	}
	throw("unsupported format character '%c' (0x%x) at index %d", verb, verb, at)
	return ""
}
