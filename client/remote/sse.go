package remote

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// event is a server-sent event in the form of Salt's API: its lines tag and data.
type event struct {
	id, tag string
	data    []byte
}

// maxEvent limits one event, all lines together, in bytes. Large returns arrive as one event.
const maxEvent = 64 << 20

// errLarge means that an event exceeds the limit.
var errLarge = errors.New("API event too large")

// decoder decodes server-sent events. It holds one event at a time.
type decoder struct {
	r   *bufio.Reader
	max int // maximum size of an event, in bytes
}

func newDecoder(r io.Reader, most int) *decoder {
	return &decoder{r: bufio.NewReaderSize(r, 64<<10), max: most}
}

// next returns the next event that has data or a tag. At the end of the stream it returns
// [io.EOF], or [io.ErrUnexpectedEOF] within an event, which is discarded.
func (d *decoder) next() (event, error) {
	var e event
	some, size := false, 0
	for {
		line, err := d.line(d.max - size)
		if errors.Is(err, io.EOF) && (some || len(line) > 0) {
			return event{}, io.ErrUnexpectedEOF
		}
		if err != nil {
			return event{}, err
		}
		if size += len(line) + 1; size > d.max {
			return event{}, fmt.Errorf("%w (%d bytes)", errLarge, d.max)
		}
		if len(line) == 0 {
			if e.tag != "" || e.data != nil {
				return e, nil
			}
			e, some, size = event{}, false, 0
			continue
		}
		field, v, _ := bytes.Cut(line, []byte(":"))
		v = bytes.TrimPrefix(v, []byte(" "))
		switch string(field) {
		case "id":
			e.id, some = string(v), true
		case "tag":
			e.tag, some = string(v), true
		case "data":
			if e.data != nil {
				e.data = append(e.data, '\n')
			} else {
				e.data = []byte{}
			}
			e.data, some = append(e.data, v...), true
		}
	}
}

// line returns the next line without its end, of at most most bytes.
func (d *decoder) line(most int) ([]byte, error) {
	var out []byte
	for {
		part, err := d.r.ReadSlice('\n')
		if len(out)+len(part) > most+2 {
			return nil, fmt.Errorf("%w (%d bytes)", errLarge, d.max)
		}
		out = append(out, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(out[:len(out)-1], []byte("\r")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return out, err
		}
	}
}
