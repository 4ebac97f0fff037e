package bus

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// trimmed stands for a value that was too big.
const trimmed = "VALUE_TRIMMED"

// trim replaces the biggest values of a map until it fits into limit bytes less
// margin. As Salt does, the first pass takes values above half the limit, each
// further one those above a tenth less, going into maps but not into lists. When
// that is not enough whole maps of the top level go.
func trim(data wire.Raw, limit, margin int) (wire.Raw, error) {
	room := limit - max(margin, 0)
	least, err := leastSize(data)
	if err != nil {
		return nil, err
	}
	// A map of very many small values fits in no pass: the list of 100,000 missing minions.
	for percent := 50; percent >= 0 && least <= room; percent -= 10 {
		out, err := trimValues(data, limit*percent/100, true)
		if err != nil {
			return nil, err
		}
		if len(out) <= room {
			return out, nil
		}
	}
	out, err := trimValues(data, 0, false)
	if err != nil {
		return nil, err
	}
	if len(out) > room {
		return nil, fmt.Errorf("%w: %d of %d bytes", ErrTooLarge, len(out), limit)
	}
	return out, nil
}

// leastSize is what is left at least of a map when every value in it that can be replaced
// is, without the heads of maps.
func leastSize(data wire.Raw) (n int, err error) {
	err = wire.Pairs(data, func(key, val wire.Raw) error {
		n += len(key)
		if !wire.IsMap(val) {
			n += min(len(val), len(trimmed)+1)
			return nil
		}
		inner, err := leastSize(val)
		n += min(inner, len(val))
		return err
	})
	return n, err
}

// trimValues replaces the values longer than size. Replacing what is no longer
// than the replacement gains nothing, so that is kept.
func trimValues(data wire.Raw, size int, intoMaps bool) (wire.Raw, error) {
	size = max(size, len(trimmed)+1)
	m := wire.NewMap()
	err := wire.Pairs(data, func(key, val wire.Raw) error {
		k, err := wire.Decode(key)
		if err != nil {
			return err
		}
		switch {
		case len(val) <= size:
			m.Set(k, val)
		case intoMaps && wire.IsMap(val):
			inner, err := trimValues(val, size, true)
			if err != nil {
				return err
			}
			m.Set(k, inner)
		default:
			m.Set(k, trimmed)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return wire.Encode(m)
}
