package engine

import "slices"

// unreported holds the closed jobs whose end the masters above may not have accepted, with the
// number of that end. Beyond its bound, the oldest job is dropped.
type unreported struct {
	most int
	ends map[string]uint64
	last uint64
}

func newUnreported(most int, jids []string) unreported {
	u := unreported{most: most, ends: map[string]uint64{}}
	for _, jid := range slices.Sorted(slices.Values(jids)) {
		u.ends[jid] = u.next()
	}
	return u
}

// next returns the next report number.
func (u *unreported) next() uint64 {
	u.last++
	return u.last
}

// add records the end of a job. It returns the job dropped to keep the bound, if any.
func (u *unreported) add(jid string, number uint64) (dropped string, some bool) {
	u.ends[jid] = number
	if len(u.ends) <= u.most {
		return "", false
	}
	for id := range u.ends {
		if dropped == "" || id < dropped {
			dropped = id
		}
	}
	delete(u.ends, dropped)
	return dropped, true
}

// accept removes a job if number is its newest end, and reports whether it did.
func (u *unreported) accept(jid string, number uint64) bool {
	if w, ok := u.ends[jid]; !ok || w != number {
		return false
	}
	delete(u.ends, jid)
	return true
}
