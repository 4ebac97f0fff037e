package topology

// aspect is the part of a node that changed.
type aspect uint8

const (
	aMinion aspect = iota // minion id of the node at path
	aHead                 // head of the node at path
	aVitals               // vitals of the node at path
	aChild                // child id of the node at path came or went
)

// change is an entry of the log. It records where something changed, not what: reports carry the
// newest state.
type change struct {
	path   string
	id     string
	aspect aspect
}

// maxChanges bounds the remembered changes. A parent that is further behind gets the whole tree.
const maxChanges = 32768

// changelog holds the newest changes by revision.
type changelog struct {
	last uint64 // revision of the newest entry
	list []change
}

func (l *changelog) add(c change) {
	l.last++
	if len(l.list) >= 2*maxChanges {
		l.list = l.list[:copy(l.list, l.list[maxChanges:])]
	}
	l.list = append(l.list, c)
}

// since returns the changes after a revision, or false if some were forgotten.
func (l *changelog) since(revision uint64) ([]change, bool) {
	if revision > l.last || l.last-revision > uint64(len(l.list)) {
		return nil, false
	}
	return l.list[uint64(len(l.list))-(l.last-revision):], true
}

// differences reports each change that turns one subtree into another, both at path. quiet means
// that only vitals changed.
func differences(old, now Node, path string, report func(change)) (quiet bool) {
	quiet = true
	note := func(c change) { quiet = false; report(c) }
	if !old.sameHead(now) {
		note(change{path, "", aHead})
	}
	if old.Vitals != now.Vitals {
		report(change{path, "", aVitals})
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
			quiet = differences(a[0], b[0], join(path, a[0].ID), report) && quiet
			a, b = a[1:], b[1:]
		}
	}
	return quiet
}
