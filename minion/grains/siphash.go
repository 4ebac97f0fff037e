package grains

import (
	"encoding/binary"
	"math/bits"
)

// pythonHash is hash() of a text in Python 3.11 and later with PYTHONHASHSEED=0:
// SipHash-1-3 under a key of zeros. It is right for text within Latin-1, which
// Python stores as one byte a letter; ids hold nothing else.
func pythonHash(text string) uint64 {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		b = append(b, byte(r))
	}
	if len(b) == 0 {
		return 0
	}
	h := siphash13(b)
	if h == 1<<64-1 {
		h-- // Python keeps -1 for errors
	}
	return h
}

func siphash13(b []byte) uint64 {
	v0, v1 := uint64(0x736f6d6570736575), uint64(0x646f72616e646f6d)
	v2, v3 := uint64(0x6c7967656e657261), uint64(0x7465646279746573)
	round := func() {
		v0 += v1
		v1 = bits.RotateLeft64(v1, 13) ^ v0
		v0 = bits.RotateLeft64(v0, 32)
		v2 += v3
		v3 = bits.RotateLeft64(v3, 16) ^ v2
		v0 += v3
		v3 = bits.RotateLeft64(v3, 21) ^ v0
		v2 += v1
		v1 = bits.RotateLeft64(v1, 17) ^ v2
		v2 = bits.RotateLeft64(v2, 32)
	}
	last := uint64(len(b)) << 56
	for ; len(b) >= 8; b = b[8:] {
		m := binary.LittleEndian.Uint64(b)
		v3 ^= m
		round()
		v0 ^= m
	}
	for i, x := range b {
		last |= uint64(x) << (8 * i)
	}
	v3 ^= last
	round()
	v0 ^= last
	v2 ^= 0xff
	for range 3 {
		round()
	}
	return v0 ^ v1 ^ v2 ^ v3
}
