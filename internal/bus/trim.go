package bus

import (
	"fmt"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

// trimmed replaces a value that was too large.
const trimmed = "VALUE_TRIMMED"

// trim replaces the largest values of a map until it fits into limit bytes less margin. As in
// Salt, the first pass replaces values larger than half the limit, and each further pass those
// larger than a tenth less. It descends into maps but not into lists. If that does not suffice,
// it replaces whole values of the top level, the largest first.
func trim(data wire.Raw, limit, margin int) (wire.Raw, error) {
	room := limit - max(margin, 0)
	least, err := leastSize(data)
	if err != nil {
		return nil, err
	}
	// No pass makes a map of very many small values fit, such as the list of 100,000 missing
	// minions.
	for percent := 50; percent >= 0 && least <= room; percent -= 10 {
		out, err := trimValues(data, limit*percent/100, true)
		if err != nil {
			return nil, err
		}
		if len(out) <= room {
			return out, nil
		}
	}
	size, err := cutAbove(data, room)
	if err != nil {
		return nil, err
	}
	out, err := trimValues(data, size, false)
	if err != nil {
		return nil, err
	}
	if len(out) > room {
		return nil, fmt.Errorf("%w: %d of %d bytes", ErrTooLarge, len(out), limit)
	}
	return out, nil
}

// cutAbove returns the greatest length that values of the top level may have for the map to fit
// into room bytes; 0 if the map cannot fit.
func cutAbove(data wire.Raw, room int) (int, error) {
	var sizes []int
	err := wire.Pairs(data, func(_, val wire.Raw) error {
		sizes = append(sizes, len(val))
		return nil
	})
	slices.Sort(sizes)
	size := 0
	for left := len(data); left > room && len(sizes) > 0; sizes = sizes[:len(sizes)-1] {
		size = sizes[len(sizes)-1] - 1
		left -= size - len(trimmed)
	}
	return size, err
}

// leastSize returns the minimum size of a map: that of the map after every replaceable value in
// it is replaced, without the heads of maps.
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

// trimValues replaces the values longer than size. It keeps a value that is not longer than the
// replacement.
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
