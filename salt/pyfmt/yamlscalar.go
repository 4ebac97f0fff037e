package pyfmt

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Salt's loader follows YAML 1.1: yes and on are booleans, 1:30 is 90, 0x10 is 16. Unlike
// plain YAML 1.1, leading zeros are dropped (010 is 10) and dates stay text.
var (
	intScalar = regexp.MustCompile(`^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$`)
	fltScalar = regexp.MustCompile(`^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
)

var boolScalars = map[string]bool{
	"yes": true, "Yes": true, "YES": true, "no": false, "No": false, "NO": false,
	"true": true, "True": true, "TRUE": true, "false": false, "False": false, "FALSE": false,
	"on": true, "On": true, "ON": true, "off": false, "Off": false, "OFF": false,
}

// YAMLScalar returns the value of an unquoted YAML scalar as Salt's loader does: nil, bool,
// int64, *big.Int, float64 or string.
func YAMLScalar(s string) any {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nil
	}
	if b, ok := boolScalars[s]; ok {
		return b
	}
	if c := s[0]; c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
		return s
	}
	if len(s) > maxNumber {
		return s
	}
	if intScalar.MatchString(s) {
		if v, ok := intValue(s); ok {
			return v
		}
	}
	if fltScalar.MatchString(s) {
		if v, ok := floatValue(s); ok {
			return v
		}
	}
	return s
}

// maxNumber is the longest text of a number, in bytes. Matching takes 100 ns per byte, so
// longer texts are not matched and stay text.
const maxNumber = 64 << 10

// maxDigits is the longest decimal integer, as in Python, since parsing takes quadratic
// time. Longer ones stay text.
const maxDigits = 4300

func intValue(s string) (any, bool) {
	if strings.HasPrefix(s, "0") && !strings.HasPrefix(s, "0b") && !strings.HasPrefix(s, "0x") {
		if s = strings.TrimLeft(s, "0"); s == "" {
			return int64(0), true
		}
	}
	s = strings.ReplaceAll(s, "_", "")
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimLeft(s, "+-")
	base := 10
	switch {
	case s == "0":
	case strings.HasPrefix(s, "0b"):
		base, s = 2, s[2:]
	case strings.HasPrefix(s, "0x"):
		base, s = 16, s[2:]
	case strings.HasPrefix(s, "0"):
		base = 8
	case strings.Contains(s, ":"):
		if len(s) > maxDigits {
			return nil, false
		}
		return sexagesimalInt(s, neg)
	case len(s) > maxDigits:
		return nil, false
	}
	n, ok := new(big.Int).SetString(s, base)
	if !ok {
		return nil, false
	}
	return shortInt(n, neg), true
}

func sexagesimalInt(s string, neg bool) (any, bool) {
	n, sixty := new(big.Int), big.NewInt(60)
	for part := range strings.SplitSeq(s, ":") {
		d, ok := new(big.Int).SetString(part, 10)
		if !ok {
			return nil, false
		}
		n.Add(n.Mul(n, sixty), d)
	}
	return shortInt(n, neg), true
}

func shortInt(n *big.Int, neg bool) any {
	if neg {
		n.Neg(n)
	}
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

func floatValue(s string) (any, bool) {
	s = strings.ToLower(strings.ReplaceAll(s, "_", ""))
	sign := 1.0
	if strings.HasPrefix(s, "-") {
		sign = -1
	}
	s = strings.TrimLeft(s, "+-")
	switch {
	case s == ".inf":
		return math.Inf(int(sign)), true
	case s == ".nan":
		return math.NaN(), true
	case strings.Contains(s, ":"):
		n := 0.0
		for part := range strings.SplitSeq(s, ":") {
			d, err := strconv.ParseFloat(part, 64)
			if err != nil {
				return nil, false
			}
			n = n*60 + d
		}
		return sign * n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, false
	}
	return sign * f, true
}
