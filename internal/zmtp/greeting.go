package zmtp

import (
	"bytes"
	"fmt"
)

// greetingSize is the length of a ZMTP 3 greeting.
const greetingSize = 64

// checkGreeting checks the received part of a peer's greeting, so that a client of another
// protocol is rejected at its first byte. It ignores the eight bytes after the first: libzmq
// puts a length there.
func checkGreeting(b []byte) error {
	switch {
	case len(b) > 0 && b[0] != 0xff:
		return fmt.Errorf("%w: first byte is %#02x, not 0xff: the peer does not speak ZMTP", ErrGreeting, b[0])
	case len(b) > 9 && b[9] != 0x7f:
		return fmt.Errorf("%w: tenth byte is %#02x, not 0x7f", ErrGreeting, b[9])
	case len(b) > 10 && b[10] < 3:
		return fmt.Errorf("%w: ZMTP version %d, need 3", ErrGreeting, b[10])
	case len(b) < greetingSize:
		return nil
	}
	if m := bytes.TrimRight(b[12:32], "\x00"); string(m) != "NULL" {
		return fmt.Errorf("%w: mechanism %q, need NULL", ErrGreeting, m)
	}
	return nil
}

// greetingMinor returns the minor protocol version in a complete greeting. Peers from 3.1 on
// must answer PING.
func greetingMinor(b []byte) byte {
	if b[10] > 3 {
		return 0xff
	}
	return b[11]
}
