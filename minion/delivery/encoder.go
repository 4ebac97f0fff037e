package delivery

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// Encoder encodes the returns of one minion.
type Encoder struct {
	ID           string
	Depth        int // maximum nesting of values in loads
	MaxFrameSize int // 0 means no limit
}

// Return encodes the `_return` load in Salt's field order, without the fields that the channel
// adds (Salt wire reference §9.1).
func (e Encoder) Return(p wire.Publication, r Result) (wire.Raw, error) {
	load := wire.NewMap(
		"cmd", "_return", "id", e.ID,
		"success", r.Success, "return", r.Value, "retcode", r.Retcode)
	if r.Out != "" {
		load.Set("out", r.Out)
	}
	load.Set("jid", p.JID)
	load.Set("fun", p.Fun)
	load.Set("fun_args", p.Arg)
	if p.User != "" {
		load.Set("user", p.User)
	}
	if p.MasterID != "" {
		load.Set("master_id", p.MasterID)
	}
	if meta, err := wire.DecodeMap(p.Metadata); err == nil && len(p.Metadata) > 0 {
		load.Set("metadata", meta)
	}
	r.Trace.Put(load)
	full, err := wire.Encode(load)
	if err != nil {
		return nil, err
	}
	if err := e.Fits(full); err != nil {
		return nil, err
	}
	return full, nil
}

// Fits returns an error if masters would refuse a return because of its size or depth.
func (e Encoder) Fits(full wire.Raw) error {
	if err := wire.FitFields(full, e.Depth); err != nil {
		return err
	}
	// A tenth is reserved for the envelope and for padding.
	if most := e.MaxFrameSize - e.MaxFrameSize/10; most > 0 && len(full) > most {
		return fmt.Errorf("it has %d bytes, max_frame_size allows %d: return less, or raise it on minion and master", len(full), most)
	}
	return nil
}

// Bare returns p without the parts that may make its return impossible to send.
func (e Encoder) Bare(p wire.Publication) wire.Publication {
	if wire.FitsDepth(p.Arg, e.Depth) != nil || len(p.Arg) > maxEcho {
		p.Arg = wire.Raw{0x90} // an empty list
	}
	if wire.FitsDepth(p.Metadata, e.Depth) != nil || len(p.Metadata) > maxEcho {
		p.Metadata = nil
	}
	return p
}

// maxEcho bounds the arguments, in bytes, in the report of a return that cannot be sent.
const maxEcho = 64 << 10
