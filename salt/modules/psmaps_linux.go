package modules

import (
	"github.com/momtree/mom/value"
)

// memoryFull is memory plus the memory private to the process, from its maps.
func (r psInfoReader) memoryFull() (any, error) {
	m := r.memory()
	maps, err := r.p.MemoryMapsWithContext(r.ctx, true)
	if err != nil || m == nil || len(*maps) == 0 {
		return nil, err
	}
	sum := (*maps)[0]
	m.Set("uss", (sum.PrivateClean+sum.PrivateDirty)<<10)
	m.Set("pss", sum.Pss<<10)
	m.Set("swap", sum.Swap<<10)
	return asTuple(m)
}

// maps returns the memory-mapped files of a process, each once.
func (r psInfoReader) maps() (any, error) {
	maps, err := r.p.MemoryMapsWithContext(r.ctx, false)
	if err != nil {
		return nil, err
	}
	sums := value.NewMap()
	for _, m := range *maps {
		path := m.Path
		if path == "" {
			path = "[anon]"
		}
		numbers := []uint64{m.Rss, m.Size, m.Pss, m.SharedClean, m.SharedDirty, m.PrivateClean, m.PrivateDirty, m.Referenced, m.Anonymous, m.Swap}
		if old, ok := sums.Get(path); ok {
			for i, n := range old.([]uint64) {
				numbers[i] += n
			}
		}
		sums.Set(path, numbers)
	}
	out := []any{}
	sums.Range(func(path, v any) bool {
		row := []any{path}
		for _, n := range v.([]uint64) {
			row = append(row, n<<10)
		}
		out = append(out, row)
		return true
	})
	return out, nil
}
