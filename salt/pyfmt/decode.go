package pyfmt

import (
	"strings"
	"unicode/utf8"
)

// Decode is data.decode("utf-8", "replace"): an invalid sequence becomes U+FFFD, one for
// each maximal prefix of a valid character.
func Decode(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	var b strings.Builder
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			n = begun(data)
		}
		b.WriteRune(r)
		data = data[n:]
	}
	return b.String()
}

// begun returns how many bytes at the front of data are the prefix of an unfinished
// character.
func begun(data []byte) int {
	lead, low, high := data[0], byte(0x80), byte(0xBF)
	need := 0
	switch {
	case lead >= 0xC2 && lead <= 0xDF:
		need = 2
	case lead >= 0xE0 && lead <= 0xEF:
		need = 3
	case lead >= 0xF0 && lead <= 0xF4:
		need = 4
	}
	switch lead { // these restrict the second byte
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	n := 1
	for n < need && n < len(data) && data[n] >= low && data[n] <= high {
		n, low, high = n+1, 0x80, 0xBF
	}
	return n
}
