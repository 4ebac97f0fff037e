package retention

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// Record is one publication that is kept.
type Record struct {
	JID string
	// At is when the job was published, by the clock of ages.
	At time.Time
	// Until is the deadline of a queued job; zero: it was not queued.
	Until time.Time
	// Pub is the publication without its serial, in wire msgpack.
	Pub []byte
	// Topics are what it is published under, if the master filters.
	Topics []string
	// Published tells that it has been handed to the subscribers.
	Published bool

	boot string // the run of the machine in which it was kept
}

func (r *Record) queued() bool { return !r.Until.IsZero() }

// marks a record as published; it is appended to the file.
const published = 'p'

var errDamaged = errors.New("it is damaged")

// encode makes the bytes of a record's file: a length, the record, and later a
// mark that it was published.
func (r *Record) encode() ([]byte, error) {
	m := wire.NewMap("jid", r.JID, "at", r.At.UnixMicro(), "pub", wire.Raw(r.Pub), "topics", r.Topics)
	if r.boot != "" {
		m.Set("boot", r.boot)
	}
	if r.queued() {
		m.Set("until", r.Until.Unix())
	}
	body, err := wire.Encode(m)
	if err != nil {
		return nil, fmt.Errorf("encode publication %s: %w", r.JID, err)
	}
	out := binary.BigEndian.AppendUint32(make([]byte, 0, 5+len(body)), uint32(len(body))) //nolint:gosec // far below 4 GiB
	out = append(out, body...)
	if r.Published {
		out = append(out, published)
	}
	return out, nil
}

// decodeRecord reads what encode made. A record that was cut off is refused: it
// was being written when the master was killed, and its job is not stored.
func decodeRecord(b []byte) (*Record, error) {
	if len(b) < 4 {
		return nil, errDamaged
	}
	n := int64(binary.BigEndian.Uint32(b))
	if b = b[4:]; n > int64(len(b)) {
		return nil, errDamaged
	}
	d, err := wire.DecodeMap(b[:n])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	pub, err := wire.Field(b[:n], "pub")
	if err != nil || !wire.IsMap(pub) {
		return nil, fmt.Errorf("%w: no publication in it", errDamaged)
	}
	r := &Record{
		JID: d.String("jid"), At: time.UnixMicro(d.Int("at")), Pub: slices.Clone(pub),
		Topics: d.Strings("topics"), boot: d.String("boot"),
		Published: int64(len(b)) > n && b[n] == published,
	}
	if !jid.Valid(r.JID) {
		return nil, fmt.Errorf("%w: its jid is %q", errDamaged, r.JID)
	}
	if until := d.Int("until"); until != 0 {
		r.Until = time.Unix(until, 0)
	}
	return r, nil
}
