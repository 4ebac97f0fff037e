package power

import "strings"

// observed is what the record itself shows: when a minion began a job, stored its return, and removed
// the return because a master had acknowledged it.
type observed struct{ began, queued, acked map[pair]int }

// observe reads the record of a load so far.
func observe(l *load) observed {
	o := observed{map[pair]int{}, map[pair]int{}, map[pair]int{}}
	log := l.log
	log.mu.Lock()
	defer log.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	first := func(m map[pair]int, p pair, at int) {
		if _, ok := m[p]; !ok {
			m[p] = at
		}
	}
	for at := range log.ops {
		for _, c := range log.ops[at].names {
			path := strings.Split(strings.TrimPrefix(c.path, log.root+"/"), "/") // m1/var/cache/salt/minion/returns/MASTER/NUMBER.JID
			number, rest, _ := strings.Cut(c.base, ".")
			switch returns := len(path) > 3 && path[len(path)-3] == "returns" && number != ""; {
			case path[0] == effects && c.node != nil:
				first(o.began, pair{l.numbers[number], l.pids[rest]}, at+1)
			case returns && c.node != nil:
				first(o.queued, pair{rest, path[0]}, at+1)
			case returns:
				first(o.acked, pair{rest, path[0]}, at+1)
			}
		}
	}
	return o
}
