package bus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/momtree/mom/internal/wire"
)

// Framing is the way in which events are separated on a socket.
type Framing string

// The framings Salt has had (Salt wire reference §11.2).
const (
	Bare   Framing = "bare"   // msgpack maps back to back: up to 3006.26, and to readers in 3008
	Length Framing = "length" // each map after its length, 4 bytes big-endian: from 3006.27
)

// DefaultMaxFrame bounds one frame read from a socket, in bytes.
const DefaultMaxFrame = 64 << 20

// ErrFrame is wrapped when bytes on a socket are not a frame.
var ErrFrame = errors.New("no event frame")

// appendFrame appends {head: head, body: body}; without a head it is empty.
func appendFrame(b []byte, head wire.Raw, body []byte) []byte {
	b = append(b, 0x82, 0xa4, 'h', 'e', 'a', 'd')
	if len(head) == 0 {
		b = append(b, 0x80)
	} else {
		b = append(b, head...)
	}
	b = append(b, 0xa4, 'b', 'o', 'd', 'y')
	switch n := len(body); {
	case n <= 0xff:
		b = append(b, 0xc4, byte(n))
	case n <= 0xffff:
		b = binary.BigEndian.AppendUint16(append(b, 0xc5), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0xc6), uint32(n))
	}
	return append(b, body...)
}

// lengthOf returns the prefix of a frame with framing Length.
func lengthOf(frame []byte) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(len(frame)))
}

// frameReader splits a stream into frames. It detects the framing of each by its first byte: a
// msgpack map begins above 0x7f, the length of an allowed frame never does. It can be used
// again after a read that timed out.
type frameReader struct {
	r   io.Reader
	max int
	buf []byte // received, not yet returned
}

func newFrameReader(r io.Reader, limit int) *frameReader {
	if limit <= 0 || limit > 1<<30 {
		limit = DefaultMaxFrame
	}
	return &frameReader{r: r, max: limit}
}

// next returns the head and body of the next frame, which the caller may keep. At a clean end
// of the stream the error is io.EOF.
func (f *frameReader) next() (head wire.Raw, body []byte, err error) {
	want := 1 // bytes needed before the next attempt
	for {
		if len(f.buf) >= want {
			frame, used, more, err := f.cut()
			switch {
			case err != nil:
				return nil, nil, err
			case used > 0:
				f.buf = f.buf[used:]
				return parseFrame(frame)
			}
			want = more
		}
		if err := f.fill(want); err != nil {
			return nil, nil, err
		}
	}
}

// cut returns the frame at the start of buf. If it is not complete yet, more is the number of
// bytes to wait for.
func (f *frameReader) cut() (frame wire.Raw, used, more int, err error) {
	if f.buf[0] <= 0x7f {
		if len(f.buf) < 4 {
			return nil, 0, 4, nil
		}
		n := int(binary.BigEndian.Uint32(f.buf))
		switch {
		case n > f.max:
			return nil, 0, 0, fmt.Errorf("%w: %d bytes announced, %d allowed", ErrFrame, n, f.max)
		case n == 0:
			return nil, 0, 0, fmt.Errorf("%w: it is empty", ErrFrame)
		case len(f.buf) < 4+n:
			return nil, 0, 4 + n, nil
		}
		return wire.Raw(f.buf[4 : 4+n : 4+n]), 4 + n, 0, nil
	}
	if !wire.IsMap(f.buf) {
		return nil, 0, 0, fmt.Errorf("%w: it begins with byte %#x", ErrFrame, f.buf[0])
	}
	val, rest, err := wire.Next(f.buf, wire.Limits{MaxBytes: f.max})
	switch {
	case errors.Is(err, wire.ErrTruncated) && len(f.buf) < f.max:
		// The body is one value of known length, so another attempt is cheap.
		return nil, 0, len(f.buf) + 1, nil
	case err != nil:
		return nil, 0, 0, fmt.Errorf("%w: %w", ErrFrame, err)
	}
	return val, len(f.buf) - len(rest), 0, nil
}

// minRead is the minimum buffer space for a read from a socket.
const minRead = 16 << 10

// fill reads once. The buffer grows with the received bytes, not with the announced length.
func (f *frameReader) fill(want int) error {
	if free := cap(f.buf) - len(f.buf); free == 0 || free < want-len(f.buf) {
		grow := min(max(want-len(f.buf), minRead), max(len(f.buf), minRead))
		if free < grow {
			f.buf = append(make([]byte, 0, len(f.buf)+grow), f.buf...)
		}
	}
	n, err := f.r.Read(f.buf[len(f.buf):cap(f.buf)])
	f.buf = f.buf[:len(f.buf)+n]
	switch {
	case n > 0:
		return nil
	case errors.Is(err, io.EOF) && len(f.buf) > 0:
		return io.ErrUnexpectedEOF
	case err == nil:
		return io.ErrNoProgress
	}
	return err
}

// parseFrame reads {head: map, body: bytes}.
func parseFrame(frame wire.Raw) (head wire.Raw, body []byte, err error) {
	hasBody := false
	err = wire.Fields(frame, func(key string, val wire.Raw) error {
		var err error
		switch key {
		case "head":
			head = val
		case "body":
			hasBody = true
			body, err = wire.Bytes(val)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%w: %w", ErrFrame, err)
	case !hasBody:
		return nil, nil, fmt.Errorf("%w: it has no body", ErrFrame)
	}
	return head, body, nil
}
