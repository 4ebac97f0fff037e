package zmtp

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// The properties of READY that this package knows; it skips others.
const (
	propSocketType = "Socket-Type"
	propIdentity   = "Identity"
)

const maxIdentity = 255

// ready is the content of a peer's READY.
type ready struct {
	socketType string
	identity   string
}

// parseReady decodes the body of a READY command. It checks every length against the remaining
// bytes; names are compared without case, as the RFC says.
func parseReady(b []byte) (ready, error) {
	var r ready
	var seenType, seenIdentity bool
	for len(b) > 0 {
		n := int(b[0])
		if n == 0 || len(b) < 1+n+4 {
			return r, fmt.Errorf("%w: property name cut short", ErrReady)
		}
		name := string(b[1 : 1+n])
		b = b[1+n:]
		size := binary.BigEndian.Uint32(b)
		if b = b[4:]; uint64(size) > uint64(len(b)) {
			return r, fmt.Errorf("%w: property %q declares %d bytes, %d are left", ErrReady, name, size, len(b))
		}
		value := string(b[:size])
		b = b[size:]
		switch {
		case strings.EqualFold(name, propSocketType):
			if seenType {
				return r, fmt.Errorf("%w: %s twice", ErrReady, propSocketType)
			}
			r.socketType, seenType = value, true
		case strings.EqualFold(name, propIdentity):
			if seenIdentity {
				return r, fmt.Errorf("%w: %s twice", ErrReady, propIdentity)
			}
			if len(value) > maxIdentity {
				return r, fmt.Errorf("%w: identity of %d bytes, at most %d are allowed", ErrReady, len(value), maxIdentity)
			}
			r.identity, seenIdentity = value, true
		}
	}
	if !seenType {
		return r, fmt.Errorf("%w: no %s", ErrReady, propSocketType)
	}
	return r, nil
}

// appendReady appends the body of a READY command. It omits the identity if it is empty and the
// socket type needs none.
func appendReady(b []byte, r ready) []byte {
	b = appendProperty(b, propSocketType, r.socketType)
	if r.identity != "" || r.socketType == "REQ" || r.socketType == "ROUTER" {
		b = appendProperty(b, propIdentity, r.identity)
	}
	return b
}

func appendProperty(b []byte, name, value string) []byte {
	b = append(append(b, byte(len(name))), name...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	return append(b, value...)
}
