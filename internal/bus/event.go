package bus

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Reasons why an event is invalid.
var (
	ErrTag      = errors.New("event tag must not be empty, hold two newlines or end with one")
	ErrTooLarge = errors.New("event is larger than max_event_size even when trimmed")
	ErrClosed   = errors.New("bus is closed")
)

// DefaultMaxEventSize is Salt's default of max_event_size in bytes.
const DefaultMaxEventSize = 1 << 20

// Event is one event. It is passed by value; the bytes of Data are shared and
// must not be changed.
type Event struct {
	Tag    string
	Data   wire.Raw  // map in wire encoding, without _stamp
	Stamp  time.Time // when it was fired, UTC, microseconds
	Origin string    // "" if fired in this process, otherwise the syndic that it came from
	Copy   bool      // the "<pretag>/<tag>" copy of an event a syndic forwarded
	Value  any       // the decoded Data, for subscribers in this process; nil if there is only Data

	form *form // the encoded event, shared by all copies; nil for an event not yet fired
}

// form encodes an event once.
type form struct {
	max   int
	once  sync.Once
	bytes []byte // the event
	frame []byte // {head: {}, body: bytes}
	err   error
}

// Bytes returns the event as sent over Salt's sockets: tag, two newlines, map in bus encoding
// with _stamp, trimmed to the bus's max_event_size. The bytes are encoded once and shared: do
// not change them.
func (e Event) Bytes() ([]byte, error) {
	f := e.made()
	return f.bytes, f.err
}

func (e Event) made() *form {
	f := e.form
	if f == nil {
		f = &form{max: DefaultMaxEventSize}
	}
	f.once.Do(func() {
		if f.bytes, f.err = eventBytes(e, f.max); f.err == nil {
			f.frame = appendFrame(nil, nil, f.bytes)
		}
	})
	return f
}

func eventBytes(e Event, limit int) ([]byte, error) {
	b, err := wire.Stamped(e.Data, e.Stamp)
	if err == nil && len(b) > limit {
		var less wire.Raw
		if less, err = trim(e.Data, limit, len(b)-len(e.Data)); err == nil {
			b, err = wire.Stamped(less, e.Stamp)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("packing event %q: %w", e.Tag, err)
	}
	return wire.EventBytes(e.Tag, b), nil
}

// Map decodes the data.
func (e Event) Map() (*wire.Map, error) { return wire.DecodeMap(e.Data) }

// ParseEvent decodes an event. Its stamp is now if the bytes have no readable _stamp.
func ParseEvent(b []byte, now time.Time) (Event, error) {
	tag, data, err := wire.ParseEvent(b)
	if err != nil {
		return Event{}, err
	}
	rest, stamp, ok, err := wire.SplitStamp(data)
	if err != nil {
		return Event{}, err
	}
	if !ok {
		stamp = now.UTC().Truncate(time.Microsecond)
	}
	onWire, err := wire.ToWire(rest)
	if err != nil {
		return Event{}, err
	}
	return Event{Tag: tag, Data: onWire, Stamp: stamp}, nil
}
