package engine

import "slices"

// untold are the closed jobs of which the masters above that asked may not have heard
// the end, each with the number of the last word on it. Beyond a bound (untold_jobs) the
// oldest are given up: whoever asked for them has been away for very long.
type untold struct {
	most  int
	words map[string]uint64
	last  uint64
}

func newUntold(most int, jids []string) untold {
	u := untold{most: most, words: map[string]uint64{}}
	for _, jid := range slices.Sorted(slices.Values(jids)) {
		u.words[jid] = u.next()
	}
	return u
}

// next gives the number of a further word.
func (u *untold) next() uint64 {
	u.last++
	return u.last
}

// add enters the last word on a job, and names one that is given up for it.
func (u *untold) add(jid string, word uint64) (dropped string, some bool) {
	u.words[jid] = word
	if len(u.words) <= u.most {
		return "", false
	}
	for id := range u.words {
		if dropped == "" || id < dropped {
			dropped = id
		}
	}
	delete(u.words, dropped)
	return dropped, true
}

// told ends the matter of a job unless there was another word since.
func (u *untold) told(jid string, word uint64) bool {
	if w, ok := u.words[jid]; !ok || w != word {
		return false
	}
	delete(u.words, jid)
	return true
}
