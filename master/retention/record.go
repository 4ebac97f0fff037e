package retention

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Record is a kept publication.
type Record struct {
	JID string
	// Part numbers the publications of a job; see [returners.Part].
	Part int
	// At is when the job was published, by the clock for ages.
	At time.Time
	// Until is the deadline of a queued job, or zero.
	Until time.Time
	// Pub is the publication without its serial, in msgpack.
	Pub []byte
	// Topics are its topics, if the master filters.
	Topics []string
	// Published says that it was sent to the subscribers.
	Published bool

	boot string // boot id of the machine when it was stored
}

// Name returns its job and part.
func (r *Record) Name() returners.Part { return returners.Part{JID: r.JID, N: r.Part} }

func (r *Record) queued() bool { return !r.Until.IsZero() }

var errDamaged = errors.New("record is damaged")

// encode returns the stored form. It does not include Published.
func (r *Record) encode() ([]byte, error) {
	m := wire.NewMap("jid", r.JID, "at", r.At.UnixMicro(), "pub", wire.Raw(r.Pub), "topics", r.Topics)
	if r.boot != "" {
		m.Set("boot", r.boot)
	}
	if r.Part > 0 {
		m.Set("part", r.Part)
	}
	if r.queued() {
		m.Set("until", r.Until.Unix())
	}
	b, err := wire.Encode(m)
	if err != nil {
		return nil, fmt.Errorf("encode publication %s: %w", r.JID, err)
	}
	return b, nil
}

// decodeRecord decodes what encode returned.
func decodeRecord(b []byte) (*Record, error) {
	d, err := wire.DecodeMap(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	pub, err := wire.Field(b, "pub")
	if err != nil || !wire.IsMap(pub) {
		return nil, fmt.Errorf("%w: no publication", errDamaged)
	}
	r := &Record{
		JID: d.String("jid"), At: time.UnixMicro(d.Int("at")), Pub: slices.Clone(pub),
		Topics: d.Strings("topics"), boot: d.String("boot"),
	}
	if v, err := wire.Field(b, "part"); err == nil {
		r.Part = returners.ReadPart(v)
	}
	if !jid.Valid(r.JID) {
		return nil, fmt.Errorf("%w: invalid jid %q", errDamaged, r.JID)
	}
	if until := d.Int("until"); until != 0 {
		r.Until = time.Unix(until, 0)
	}
	return r, nil
}
