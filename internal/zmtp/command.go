package zmtp

import (
	"encoding/binary"
	"fmt"
)

// maxCommand bounds any command, READY included. The RFC allows more, but no implementation
// sends it.
const maxCommand = 4 << 10

// maxPingContext is the longest context a PING may carry (RFC 37).
const maxPingContext = 16

// splitCommand splits a command frame into name and body.
func splitCommand(b []byte) (name, body []byte, err error) {
	if len(b) == 0 || len(b) < 1+int(b[0]) {
		return nil, nil, fmt.Errorf("%w: command of %d bytes is cut short", ErrFrame, len(b))
	}
	n := 1 + int(b[0])
	return b[1:n], b[n:], nil
}

// appendCommand appends a command frame.
func appendCommand(b []byte, name string, body []byte) []byte {
	b = appendHeader(b, flagCommand, 1+len(name)+len(body))
	b = append(b, byte(len(name)))
	b = append(b, name...)
	return append(b, body...)
}

// splitPing splits the body of a PING into the time-to-live in tenths of a second and the
// context that the PONG must repeat.
func splitPing(b []byte) (ttl uint16, context []byte, err error) {
	if len(b) < 2 {
		return 0, nil, fmt.Errorf("%w: PING without time-to-live", ErrFrame)
	}
	if context = b[2:]; len(context) > maxPingContext {
		return 0, nil, fmt.Errorf("%w: PING context of %d bytes, at most %d are allowed", ErrFrame, len(context), maxPingContext)
	}
	return binary.BigEndian.Uint16(b), context, nil
}
