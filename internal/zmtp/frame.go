package zmtp

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Flag bits of a ZMTP 3 frame; the other five are reserved and zero.
const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// Sizes of the two forms of a frame header.
const (
	shortHeader = 2
	longHeader  = 9
)

// header is a decoded frame header.
type header struct {
	flags byte
	size  int64
}

func (h header) more() bool    { return h.flags&flagMore != 0 }
func (h header) command() bool { return h.flags&flagCommand != 0 }

// headerSize returns the length of a header from its first byte.
func headerSize(flags byte) int {
	if flags&flagLong != 0 {
		return longHeader
	}
	return shortHeader
}

// parseHeader decodes the header at the start of b, which has at least headerSize(b[0]) bytes.
func parseHeader(b []byte) (header, error) {
	h := header{flags: b[0]}
	switch {
	case h.flags&^(flagMore|flagLong|flagCommand) != 0:
		return h, fmt.Errorf("%w: reserved bits set in flags %#02x", ErrFrame, h.flags)
	case h.command() && h.more():
		return h, fmt.Errorf("%w: command with the MORE flag", ErrFrame)
	case h.flags&flagLong == 0:
		h.size = int64(b[1])
	default:
		n := binary.BigEndian.Uint64(b[1:longHeader])
		if n > math.MaxInt64 {
			return h, fmt.Errorf("%w: declared length %d", ErrFrame, n)
		}
		h.size = int64(n)
	}
	return h, nil
}

// appendHeader appends the header of a frame of n bytes in its shortest form.
func appendHeader(b []byte, flags byte, n int) []byte {
	if n <= math.MaxUint8 {
		return append(b, flags, byte(n))
	}
	return binary.BigEndian.AppendUint64(append(b, flags|flagLong), uint64(n))
}

// appendFrame appends one whole frame.
func appendFrame(b []byte, flags byte, body []byte) []byte {
	return append(appendHeader(b, flags, len(body)), body...)
}
