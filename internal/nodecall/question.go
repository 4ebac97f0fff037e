package nodecall

import (
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
)

const (
	// Field is the field of a publication that holds a question.
	Field = "mom_ask"
	// Fun is the function of such a publication. No minion has it.
	Fun = "mom.ask"
	// Command is the request that holds an answer.
	Command = "_answer"
)

// maxWithin bounds the time that a node may spend on a question.
const maxWithin = 10 * time.Minute

// Question is a question from a master to nodes below.
type Question struct {
	ID     string // chosen by the asker, unique among its open questions
	What   string // name of the handler at the node
	Arg    wire.Raw
	Within time.Duration // how long the asker waits, in whole milliseconds on the wire
}

// ErrMalformed is returned for a publication whose question cannot be decoded.
var ErrMalformed = errors.New("the question cannot be read")

// Publication returns the publication that asks nodes, without a jid.
func (q Question) Publication(nodes []string) (wire.Publication, error) {
	p := wire.Publication{TgtType: "list", Extra: wire.NewMap()}
	arg := any(q.Arg)
	if len(q.Arg) == 0 {
		arg = nil
	}
	p.Extra.Set(Field, wire.NewMap("id", q.ID, "what", q.What, "arg", arg, "within", q.Within.Milliseconds()))
	var err error
	if p.Fun, err = wire.Encode(Fun); err != nil {
		return p, fmt.Errorf("encode a question: %w", err)
	}
	if p.Tgt, err = wire.Encode(nodes); err != nil {
		return p, fmt.Errorf("encode whom a question is for: %w", err)
	}
	p.Arg = wire.Raw{0x90}
	return p, nil
}

// FromPublication decodes a question; asks is false if the publication is a job. If the
// question is not for node, it returns an empty one and asks is true.
func FromPublication(p wire.Publication, node string) (q Question, asks bool, err error) {
	if p.Extra == nil {
		return q, false, nil
	}
	v, asks := p.Extra.Get(Field)
	if !asks {
		return q, false, nil
	}
	nodes, err := wire.Strings(p.Tgt)
	if err != nil {
		return q, true, fmt.Errorf("%w: whom it is for: %w", ErrMalformed, err)
	}
	mine := false
	for _, id := range nodes {
		mine = mine || id == node
	}
	if !mine {
		return q, true, nil
	}
	q, err = readQuestion(v)
	if err != nil || q.ID == "" || q.What == "" || q.Within <= 0 {
		return Question{}, true, errors.Join(ErrMalformed, err)
	}
	return q, true, nil
}

func readQuestion(v any) (q Question, err error) {
	raw, err := fieldRaw(v)
	if err != nil {
		return q, err
	}
	err = wire.Fields(raw, func(key string, val wire.Raw) (err error) {
		switch key {
		case "id":
			q.ID, err = wire.Str(val)
		case "what":
			q.What, err = wire.Str(val)
		case "arg":
			q.Arg = val
		case "within":
			var ms int64
			ms, err = wire.Int(val)
			q.Within = time.Duration(max(0, min(ms, maxWithin.Milliseconds()))) * time.Millisecond
		}
		return err
	})
	return q, err
}

// fieldRaw returns the encoded bytes of a field of a publication.
func fieldRaw(v any) (wire.Raw, error) {
	if raw, ok := v.(wire.Raw); ok {
		return raw, nil
	}
	b, err := wire.Encode(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return b, nil
}
