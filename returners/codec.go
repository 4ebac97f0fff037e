package returners

import (
	"fmt"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/momtree/mom/internal/wire"
)

// eventRow is an event in an outbox row. Only the store reads it, so its field names are
// short.
type eventRow struct {
	Key    string             `msgpack:"k,omitempty"`
	Tag    string             `msgpack:"t"`
	Data   msgpack.RawMessage `msgpack:"d"`
	Master string             `msgpack:"m,omitempty"`
	At     int64              `msgpack:"a"`
}

// EncodeEvent encodes an event as an outbox payload.
func EncodeEvent(e Event) ([]byte, error) {
	if len(e.Data) == 0 {
		e.Data = wire.Raw{0xc0}
	}
	b, err := msgpack.Marshal(eventRow{e.Key, e.Tag, msgpack.RawMessage(e.Data), e.MasterID, e.At.UnixMicro()})
	if err != nil {
		return nil, fmt.Errorf("encode event %q: %w", e.Tag, err)
	}
	return b, nil
}

// DecodeEvent decodes the result of EncodeEvent.
func DecodeEvent(b []byte) (Event, error) {
	var r eventRow
	if err := msgpack.Unmarshal(b, &r); err != nil {
		return Event{}, fmt.Errorf("decode event row: %w", err)
	}
	return Event{r.Key, r.Tag, wire.Raw(r.Data), r.Master, time.UnixMicro(r.At).UTC()}, nil
}

type expectationRow struct {
	JID     string            `msgpack:"j"`
	Node    string            `msgpack:"n"`
	Minions []string          `msgpack:"m"`
	Missing map[string]string `msgpack:"x,omitempty"`
	At      int64             `msgpack:"a"`
	State   string            `msgpack:"s,omitempty"`
}

// EncodeExpectation encodes an expectation as an outbox payload. Equal expectations give
// equal bytes.
func EncodeExpectation(e Expectation) ([]byte, error) {
	enc := msgpack.GetEncoder()
	defer msgpack.PutEncoder(enc)
	var buf writer
	enc.Reset(&buf)
	enc.SetSortMapKeys(true)
	if err := enc.Encode(expectationRow{e.JID, e.Node, e.Minions, e.Missing, e.At.UnixMicro(), e.State}); err != nil {
		return nil, fmt.Errorf("encode expectation of job %s: %w", e.JID, err)
	}
	return buf, nil
}

// DecodeExpectation decodes the result of EncodeExpectation.
func DecodeExpectation(b []byte) (Expectation, error) {
	var r expectationRow
	if err := msgpack.Unmarshal(b, &r); err != nil {
		return Expectation{}, fmt.Errorf("decode expectation row: %w", err)
	}
	return Expectation{r.JID, r.Node, r.Minions, r.Missing, time.UnixMicro(r.At).UTC(), r.State}, nil
}

// writer is a byte slice as [io.Writer].
type writer []byte

func (w *writer) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	return len(b), nil
}
