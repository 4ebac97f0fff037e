package engine

// names numbers the ids of minions that have answered, with a reference count per id. Thousands of
// open jobs of the same ten thousand minions share the ids and keep a few bytes per minion.
type names struct {
	index map[string]uint32
	ids   []string
	uses  []uint32 // jobs that refer to the id; 0: free
	free  []uint32
}

func newNames() *names { return &names{index: map[string]uint32{}} }

// take returns the number of an id and adds a reference.
func (n *names) take(id string) uint32 {
	i, ok := n.index[id]
	switch {
	case ok:
	case len(n.free) > 0:
		i = n.free[len(n.free)-1]
		n.free = n.free[:len(n.free)-1]
		n.ids[i], n.index[id] = id, i
	default:
		i = uint32(len(n.ids))
		n.ids, n.uses = append(n.ids, id), append(n.uses, 0)
		n.index[id] = i
	}
	n.uses[i]++
	return i
}

// drop removes a reference.
func (n *names) drop(i uint32) {
	if n.uses[i]--; n.uses[i] > 0 {
		return
	}
	delete(n.index, n.ids[i])
	n.ids[i] = ""
	n.free = append(n.free, i)
}

// set is a bitmap, 64 numbers per map entry.
type set map[uint32]uint64

func (s set) has(i uint32) bool { return s[i/64]&(1<<(i%64)) != 0 }

func (s set) add(i uint32) { s[i/64] |= 1 << (i % 64) }

func (s set) each(visit func(i uint32)) {
	for k, word := range s {
		for b := range uint32(64) {
			if word&(1<<b) != 0 {
				visit(k*64 + b)
			}
		}
	}
}
