package peer

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Flags in a frame's first byte (ZMTP 3.1, RFC 37).
const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// ErrFrame reports bytes that are not a frame of ZMTP 3.
var ErrFrame = errors.New("not a frame of ZMTP 3")

// frame is one frame; body aliases the buffer.
type frame struct {
	flags byte
	body  []byte
}

func (f frame) command() bool { return f.flags&flagCommand != 0 }
func (f frame) more() bool    { return f.flags&flagMore != 0 }

// parseFrame parses the first frame in b. If b does not hold all of it, need is the length of
// the frame, at least len(b)+1.
func parseFrame(b []byte, most int) (f frame, rest []byte, need int, err error) {
	if len(b) == 0 {
		return f, b, 2, nil
	}
	f.flags = b[0]
	if f.flags&^(flagMore|flagLong|flagCommand) != 0 || f.command() && f.more() {
		return f, b, 0, fmt.Errorf("%w: it begins with %#02x", ErrFrame, f.flags)
	}
	head := 2
	if f.flags&flagLong != 0 {
		head = 9
	}
	if len(b) < head {
		return f, b, head, nil
	}
	size := uint64(b[1])
	if head != 2 {
		size = binary.BigEndian.Uint64(b[1:])
	}
	if size > uint64(most) {
		return f, b, 0, fmt.Errorf("%w: %d bytes, at most %d are taken", ErrFrame, size, most)
	}
	end := head + int(size)
	if len(b) < end {
		return f, b, end, nil
	}
	f.body = b[head:end]
	return f, b[end:], 0, nil
}

// appendFrame appends a frame with the shorter form of length.
func appendFrame(b []byte, flags byte, body []byte) []byte {
	if len(body) <= 0xff {
		b = append(b, flags, byte(len(body)))
	} else {
		b = append(b, flags|flagLong)
		b = binary.BigEndian.AppendUint64(b, uint64(len(body)))
	}
	return append(b, body...)
}

// appendCommand appends a command with its name.
func appendCommand(b []byte, name string, data []byte) []byte {
	body := append([]byte{byte(len(name))}, name...)
	return appendFrame(b, flagCommand, append(body, data...))
}

// cutCommand returns the name and data of a command.
func cutCommand(body []byte) (name, data []byte, err error) {
	if len(body) == 0 || len(body) < 1+int(body[0]) {
		return nil, nil, fmt.Errorf("%w: a command without a name", ErrFrame)
	}
	n := 1 + int(body[0])
	return body[1:n], body[n:], nil
}
