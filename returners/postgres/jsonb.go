package postgres

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"unicode/utf8"
)

// jsonb holds neither the character U+0000 nor single surrogates, which stand for bytes that
// are not UTF-8, nor NaN and Infinity. toJSONB writes each such byte b as the character
// bytesAt+b, of the private use area. A character of that range that was in the text is
// written as its three bytes, in the same way, so that fromJSONB returns the same text.
const bytesAt = 0xf700

// toJSONB changes the result of wire.ToJSON to what jsonb accepts: bytes as above, NaN and
// Infinity as texts, and floats without an exponent, since a jsonb number keeps its digits
// but not its notation.
func toJSONB(js []byte) []byte {
	out := make([]byte, 0, len(js)+len(js)/16)
	for i := 0; i < len(js); {
		switch c := js[i]; {
		case c == '"':
			var n int
			out, n = appendStringB(out, js[i:])
			i += n
		case c == 'N', c == 'I', c == '-' && i+1 < len(js) && js[i+1] == 'I':
			n := wordLen(js[i:])
			out = append(append(append(out, '"'), js[i:i+n]...), '"')
			i += n
		case c == '-' || c >= '0' && c <= '9':
			n := wordLen(js[i:])
			out = appendNumberB(out, js[i:i+n])
			i += n
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

// wordLen returns the length of the number or word that b begins with.
func wordLen(b []byte) int {
	if n := bytes.IndexAny(b, ",:]} "); n >= 0 {
		return n
	}
	return len(b)
}

func appendNumberB(out, n []byte) []byte {
	if !bytes.ContainsAny(n, "e") {
		return append(out, n...)
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return append(out, n...)
	}
	start := len(out)
	out = strconv.AppendFloat(out, f, 'f', -1, 64)
	if !bytes.ContainsRune(out[start:], '.') {
		out = append(out, ".0"...) // it stays a float
	}
	return out
}

// appendStringB appends the string that b begins with, and returns its length in b.
func appendStringB(out, b []byte) ([]byte, int) {
	out = append(out, '"')
	i := 1
	for b[i] != '"' {
		switch {
		case b[i] == '\\' && b[i+1] == 'u':
			n, _ := strconv.ParseUint(string(b[i+2:i+6]), 16, 16) // wire.ToJSON wrote it
			if n == 0 || n >= 0xdc80 && n <= 0xdcff {
				out = appendByteB(out, byte(n))
			} else {
				out = append(out, b[i:i+6]...)
			}
			i += 6
		case b[i] == '\\':
			out = append(out, b[i], b[i+1])
			i += 2
		case isByteB(b[i:]):
			for _, c := range b[i : i+3] {
				out = appendByteB(out, c)
			}
			i += 3
		default:
			out = append(out, b[i])
			i++
		}
	}
	return append(out, '"'), i + 1
}

func appendByteB(out []byte, c byte) []byte { return utf8.AppendRune(out, bytesAt+rune(c)) }

// isByteB reports whether b begins with a character from bytesAt to bytesAt+255.
func isByteB(b []byte) bool {
	return len(b) >= 3 && b[0] == 0xef && b[1] >= 0x9c && b[1] <= 0x9f
}

// fromJSONB reverses toJSONB for strings.
func fromJSONB(js []byte) []byte {
	if !bytes.Contains(js, []byte{0xef}) {
		return js
	}
	out := make([]byte, 0, len(js))
	for i := 0; i < len(js); {
		if !isByteB(js[i:]) {
			out = append(out, js[i])
			i++
			continue
		}
		r, n := utf8.DecodeRune(js[i:])
		switch c := byte(r - bytesAt); {
		case c == 0:
			out = append(out, `\u0000`...)
		case c >= utf8.RuneSelf:
			out = hex.AppendEncode(append(out, `\udc`...), []byte{c})
		default: // another program wrote it
			out = append(out, js[i:i+n]...)
		}
		i += n
	}
	return out
}
