package topology

// aspect says what of a node has changed.
type aspect uint8

const (
	aMinion aspect = iota // the minion id of the node at path
	aHead                 // what is said of the node at path itself
	aVitals               // its figures
	aChild                // the node id right below path came or went
)

// change is one entry of the log: where, not what, for only the newest state is
// ever told.
type change struct {
	path   string
	id     string
	aspect aspect
}

// keptChanges is how many changes are remembered. A parent that is further
// behind gets the whole tree.
const keptChanges = 32768

// changelog holds the newest changes by revision.
type changelog struct {
	last uint64 // the revision that the newest entry made
	list []change
}

func (l *changelog) add(c change) {
	l.last++
	if len(l.list) >= 2*keptChanges {
		l.list = l.list[:copy(l.list, l.list[keptChanges:])]
	}
	l.list = append(l.list, c)
}

// since gives the changes after a revision; false when they are not all known.
func (l *changelog) since(revision uint64) ([]change, bool) {
	if revision > l.last || l.last-revision > uint64(len(l.list)) {
		return nil, false
	}
	return l.list[uint64(len(l.list))-(l.last-revision):], true
}

// differences lists what makes one subtree into another, both at path. quiet is
// set when it is figures alone.
func differences(old, now Node, path string, tell func(change)) (quiet bool) {
	quiet = true
	note := func(c change) { quiet = false; tell(c) }
	if !old.sameHead(now) {
		note(change{path, "", aHead})
	}
	if old.Vitals != now.Vitals {
		tell(change{path, "", aVitals})
	}
	for a, b := old.Minions, now.Minions; len(a)+len(b) > 0; {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].ID < b[0].ID:
			note(change{path, a[0].ID, aMinion})
			a = a[1:]
		case len(a) == 0 || b[0].ID < a[0].ID:
			note(change{path, b[0].ID, aMinion})
			b = b[1:]
		default:
			if a[0] != b[0] {
				note(change{path, a[0].ID, aMinion})
			}
			a, b = a[1:], b[1:]
		}
	}
	for a, b := old.Nodes, now.Nodes; len(a)+len(b) > 0; {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].ID < b[0].ID:
			note(change{path, a[0].ID, aChild})
			a = a[1:]
		case len(a) == 0 || b[0].ID < a[0].ID:
			note(change{path, b[0].ID, aChild})
			b = b[1:]
		default:
			quiet = differences(a[0], b[0], join(path, a[0].ID), tell) && quiet
			a, b = a[1:], b[1:]
		}
	}
	return quiet
}
