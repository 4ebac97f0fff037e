package events

import (
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

// stamped returns an event's data with Salt's _stamp appended.
func stamped(e bus.Event) (wire.Raw, error) {
	b := make([]byte, 0, len(e.Data)+48)
	b = append(b, 0xdf, 0, 0, 0, 0) // map32; senders need not use the shortest form
	n := 0
	err := wire.Pairs(e.Data, func(key, val wire.Raw) error {
		n++
		b = append(append(b, key...), val...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	stamp, err := wire.Encode(wire.NewMap("_stamp", wire.StampText(e.Stamp)))
	if err != nil {
		return nil, err
	}
	b = append(b, stamp[1:]...)
	return head(b, n+1), nil
}

// head replaces the map32 header at the start of b by the shortest header for n pairs.
func head(b []byte, n int) wire.Raw {
	switch {
	case n < 16:
		b = b[4:]
		b[0] = 0x80 | byte(n)
	case n < 1<<16:
		b = b[2:]
		b[0], b[1], b[2] = 0xde, byte(n>>8), byte(n)
	default:
		b[1], b[2], b[3], b[4] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	}
	return b
}
