package roll

import (
	"encoding/binary"
	"errors"

	"github.com/momtree/mom/returners"
)

// Encode encodes the marks of the given minions. For each it writes twice the length of its
// id, plus one if it is missing, and the id; for a missing one also the length of the
// reason and the reason.
func (m Marks) Encode(ids []string) []byte {
	out := make([]byte, 0, 32*len(ids))
	for _, id := range ids {
		k := m[id]
		n := uint64(len(id)) << 1
		if k.Missing {
			n |= 1
		}
		out = append(binary.AppendUvarint(out, n), id...)
		if k.Missing {
			out = append(binary.AppendUvarint(out, uint64(len(k.Reason))), k.Reason...)
		}
	}
	return out
}

var errCut = errors.New("damaged page of an expectation")

// Decode decodes the result of Encode.
func Decode(b []byte) (Marks, error) {
	m := Marks{}
	return m, each(b, func(id string, k Mark) { m[id] = k })
}

// Read decodes the result of Encode and adds it to an expectation.
func Read(b []byte, x *returners.Expectation) error {
	return each(b, func(id string, k Mark) { k.into(id, x) })
}

func each(b []byte, visit func(id string, k Mark)) error {
	for len(b) > 0 {
		var id string
		var k Mark
		var ok bool
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return errCut
		}
		if id, b, ok = text(b[size:], n>>1); !ok {
			return errCut
		}
		if k.Missing = n&1 != 0; k.Missing {
			if n, size = binary.Uvarint(b); size <= 0 {
				return errCut
			}
			if k.Reason, b, ok = text(b[size:], n); !ok {
				return errCut
			}
		}
		visit(id, k)
	}
	return nil
}

func text(b []byte, n uint64) (string, []byte, bool) {
	if n > uint64(len(b)) {
		return "", nil, false
	}
	return string(b[:n]), b[n:], true
}
