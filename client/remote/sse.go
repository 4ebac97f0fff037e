package remote

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// event is a server-sent event in the form of Salt's API: the lines tag and data.
type event struct {
	id, tag string
	data    []byte
}

// maxEvent bounds one event, all of its lines together, in bytes. A return that fits
// nowhere else comes in one.
const maxEvent = 64 << 20

// errLarge: an event is larger than may be.
var errLarge = errors.New("an event of the API is larger than may be")

// decoder reads server-sent events. It holds one event at a time.
type decoder struct {
	r   *bufio.Reader
	max int // bytes of one event
}

func newDecoder(r io.Reader, most int) *decoder {
	return &decoder{r: bufio.NewReaderSize(r, 64<<10), max: most}
}

// next gives the next event that has data or a tag. The end of the stream is [io.EOF], in
// the midst of an event [io.ErrUnexpectedEOF]: what there is of it counts for nothing.
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

// line gives the next line without its end, of at most so many bytes.
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
