package jinja

import (
	"math"
	"math/big"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
)

// maxBits is the largest size of an integer; templates need no more.
const maxBits = 1 << 16

// toInt returns v as an integer; bools count as 0 and 1.
func toInt(v any) (*big.Int, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case int64:
		return big.NewInt(v), true
	case *big.Int:
		return v, true
	}
	return nil, false
}

// smallInt returns v as an int64.
func smallInt(v any) (int64, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case int64:
		return v, true
	}
	return 0, false
}

func toFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		if math.IsInf(f, 0) {
			throw("int too large to convert to float")
		}
		return f, true
	}
	return 0, false
}

func isNumber(v any) bool {
	switch v.(type) {
	case bool, int64, *big.Int, float64:
		return true
	}
	return false
}

// failUndefined fails if one of the operands is undefined.
func failUndefined(vs ...any) {
	for _, v := range vs {
		if u, ok := v.(*Undefined); ok {
			u.fail()
		}
	}
}

func badOperands(op string, a, b any) {
	throw("unsupported operand type(s) for %s: '%s' and '%s'", op, typeName(a), typeName(b))
}

// binary computes a op b as Python does.
func (r *Run) binary(op string, a, b any) any {
	if x, ok := a.(int64); ok {
		if y, ok := b.(int64); ok {
			if v, ok := smallOp(op, x, y); ok {
				return v
			}
		}
	}
	failUndefined(a, b)
	r.Work(visitWork)
	if isNumber(a) && isNumber(b) {
		return r.numeric(op, a, b)
	}
	switch op {
	case "+":
		return r.plus(a, b)
	case "*":
		if n, ok := smallInt(b); ok {
			if v, ok := r.repeat(a, n); ok {
				return v
			}
		}
		if n, ok := smallInt(a); ok {
			if v, ok := r.repeat(b, n); ok {
				return v
			}
		}
		if _, seq := a.(*List); seq || isText(a) {
			throw("can't multiply sequence by non-int of type '%s'", typeName(b))
		}
	case "%":
		if s, ok := a.(string); ok {
			return r.percent(s, b)
		}
	case "-":
		if x, ok := a.(*Set); ok {
			if y, ok := b.(*Set); ok {
				return r.setMinus(x, y)
			}
		}
	case "**":
		badOperands("** or pow()", a, b)
	}
	badOperands(op, a, b)
	return nil
}

func isText(v any) bool { _, ok := v.(string); return ok }

func smallOp(op string, x, y int64) (any, bool) {
	switch op {
	case "+":
		if z := x + y; (z > x) == (y > 0) {
			return z, true
		}
	case "-":
		if z := x - y; (z < x) == (y > 0) {
			return z, true
		}
	case "*":
		if x > -1<<31 && x < 1<<31 && y > -1<<31 && y < 1<<31 {
			return x * y, true
		}
	case "%":
		if y > 0 {
			m := x % y
			if m < 0 {
				m += y
			}
			return m, true
		}
	}
	return nil, false
}

func (r *Run) plus(a, b any) any {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			r.text(len(x) + len(y))
			return x + y
		}
		throw(`can only concatenate str (not "%s") to str`, typeName(b))
	case Bytes:
		if y, ok := b.(Bytes); ok {
			r.text(len(x) + len(y))
			return append(append(Bytes(nil), x...), y...)
		}
		throw("can't concat %s to bytes", typeName(b))
	case *List:
		if y, ok := b.(*List); ok {
			r.Room(len(x.Items) + len(y.Items))
			return &List{Items: append(append([]any(nil), x.Items...), y.Items...)}
		}
		throw(`can only concatenate list (not "%s") to list`, typeName(b))
	case Tuple:
		if y, ok := b.(Tuple); ok {
			r.Room(len(x) + len(y))
			return append(append(Tuple(nil), x...), y...)
		}
		throw(`can only concatenate tuple (not "%s") to tuple`, typeName(b))
	}
	badOperands("+", a, b)
	return nil
}

func (r *Run) repeat(v any, n int64) (any, bool) {
	n = max(n, 0)
	items := func(in []any) []any {
		if len(in) == 0 {
			return nil
		}
		if n > int64(r.limits.Values) {
			r.Fits(r.limits.Values + 1)
		}
		if n > 0 && len(in) > r.limits.Values/int(n) {
			r.Fits(r.limits.Values + 1)
		}
		r.Room(len(in) * int(n))
		out := make([]any, 0, len(in)*int(n))
		for range n {
			out = append(out, in...)
		}
		return out
	}
	switch v := v.(type) {
	case string:
		if len(v) == 0 {
			return "", true
		}
		if n > int64(r.limits.Output) {
			r.text(r.limits.Output + 1)
		}
		if n > 0 && len(v) > r.limits.Output/int(n) {
			r.text(r.limits.Output + 1)
		}
		r.text(len(v) * int(n))
		return strings.Repeat(v, int(n)), true
	case *List:
		return &List{Items: items(v.Items)}, true
	case Tuple:
		return Tuple(items(v)), true
	}
	return nil, false
}

func (r *Run) numeric(op string, a, b any) any {
	_, af := a.(float64)
	_, bf := b.(float64)
	if !af && !bf && op != "/" {
		x, _ := toInt(a)
		y, _ := toInt(b)
		return r.whole(op, x, y)
	}
	x, _ := toFloat(a)
	y, _ := toFloat(b)
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		if y == 0 {
			if af || bf {
				throw("float division by zero")
			}
			throw("division by zero")
		}
		return x / y
	case "//":
		if y == 0 {
			throw("float floor division by zero")
		}
		return math.Floor(x / y)
	case "%":
		if y == 0 {
			throw("float modulo")
		}
		m := math.Mod(x, y)
		if m != 0 && (m < 0) != (y < 0) {
			m += y
		}
		return m
	}
	if x == 0 && y < 0 {
		throw("0.0 cannot be raised to a negative power")
	}
	z := math.Pow(x, y)
	if math.IsInf(z, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		throw("(34, 'Numerical result out of range')")
	}
	return z
}

// countNumbers counts an operation on integers, which takes time proportional to the
// product of their sizes.
func (r *Run) countNumbers(op string, x, y *big.Int) {
	m, n := x.BitLen()/64+1, y.BitLen()/64+1
	if m+n == 2 {
		return
	}
	r.Alloc(16*(m+n) + smallBytes)
	r.Work(2 * m * n)
	if op == "**" {
		r.Alloc(maxBits / 2)
		r.Work(2 * (maxBits / 64) * (maxBits / 64))
	}
}

// decimal counts the text of a number.
func (r *Run) decimal(n *big.Int) {
	words := n.BitLen()/64 + 1
	r.Alloc(40 * words)
	r.Work(20*words + words*words/8)
}

func (r *Run) whole(op string, x, y *big.Int) any {
	if x.BitLen() > maxBits || y.BitLen() > maxBits {
		throwKind(KindLimit, "a number has more than %d bits", maxBits)
	}
	r.countNumbers(op, x, y)
	z := new(big.Int)
	switch op {
	case "+":
		return Int(z.Add(x, y))
	case "-":
		return Int(z.Sub(x, y))
	case "*":
		return Int(z.Mul(x, y))
	case "//", "%":
		if y.Sign() == 0 {
			if op == "%" {
				throw("integer modulo by zero")
			}
			throw("integer division or modulo by zero")
		}
		q, m := new(big.Int), new(big.Int)
		q.DivMod(x, y, m) // Euclidean: the remainder is never negative
		if m.Sign() != 0 && y.Sign() < 0 {
			q.Sub(q, big.NewInt(1))
			m.Add(m, y)
		}
		if op == "%" {
			return Int(m)
		}
		return Int(q)
	}
	if y.Sign() < 0 {
		fx, _ := toFloat(Int(x))
		fy, _ := toFloat(Int(y))
		if fx == 0 {
			throw("0.0 cannot be raised to a negative power")
		}
		return math.Pow(fx, fy)
	}
	if x.BitLen() > 1 && (!y.IsInt64() || y.Int64() > maxBits || int64(x.BitLen())*y.Int64() > maxBits) {
		throwKind(KindLimit, "a number has more than %d bits", maxBits)
	}
	return Int(z.Exp(x, y, nil))
}

// negative returns -v; positive returns +v.
func (r *Run) negative(v any) any {
	failUndefined(v)
	switch v := v.(type) {
	case float64:
		return -v
	case bool, int64, *big.Int:
		n, _ := toInt(v)
		r.countNumbers("-", n, new(big.Int))
		return Int(new(big.Int).Neg(n))
	}
	throw("bad operand type for unary -: '%s'", typeName(v))
	return nil
}

func (r *Run) positive(v any) any {
	failUndefined(v)
	switch v := v.(type) {
	case float64, int64, *big.Int:
		return v
	case bool:
		n, _ := smallInt(v)
		return n
	}
	throw("bad operand type for unary +: '%s'", typeName(v))
	return nil
}

// floatText is Python's repr of a float.
func floatText(f float64) string { return pyfmt.Float(f) }
