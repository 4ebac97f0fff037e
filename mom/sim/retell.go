package sim

import (
	"maps"
	"slices"

	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/syndic/handover"
)

// retelling is what one life of a node tells a parent anew: syndic's teller.
type retelling struct {
	lap    handover.Lap
	jid    string // the job being told; "": none
	rest   []word // what there is to tell of it still
	broken bool   // a word of it was lost, or came meanwhile
}

// retell tells a parent that is back who has to answer the open jobs that it asked
// for, or nobody did, and the closed ones of which it has not heard the end.
func (l *link) retell() {
	if l.w.o.sabotage.keepSilent {
		return
	}
	l.lap.Begin(false)
}

// put queues a word.
func (l *link) put(x word) {
	l.words = append(l.words, x)
	l.fit()
}

// fit drops the oldest words while too many wait: all is told anew then.
func (l *link) fit() {
	for len(l.words) > max(l.w.o.Bounds.TellQueue, 1) {
		l.broken = l.broken || l.jid != "" && l.jid == l.words[0].jid
		l.words = l.words[1:]
		l.lap.Begin(true)
	}
}

// answer tells all parents that asked for a job what the local master does not know.
func (n *node) answer(x word) {
	for _, l := range n.ups {
		if l.concerned(x.jid) {
			l.answers = append(l.answers, x)
			l.tellOn()
		}
	}
}

// tellAgain puts what is to be told anew into the queue while there is room.
func (l *link) tellAgain() {
	for l.lap.Active() {
		if n := len(l.words) + l.aloft; n > 0 && 2*n >= l.w.o.Bounds.TellQueue {
			return
		}
		if l.broken {
			l.jid, l.rest, l.broken = "", nil, false
		}
		switch {
		case l.jid == "" && !l.choose():
			return
		case l.jid == "":
		case len(l.rest) == 0:
			l.lap.Told(l.jid)
			l.jid = ""
		default:
			x := l.rest[0]
			l.rest = l.rest[1:]
			if x.end > 0 {
				l.lap.Told(l.jid)
			}
			l.put(x)
		}
	}
}

// choose takes the job whose turn it is; false: there is none.
func (l *link) choose() bool {
	n := l.child
	jobs := n.ledger.Active()
	jobs = append(jobs, slices.Collect(maps.Keys(n.untold))...)
	slices.Sort(jobs)
	jid, ok := l.lap.Next(func(after string) string {
		for _, jid := range jobs {
			if jid > after {
				return jid
			}
		}
		return ""
	})
	if !ok {
		return false
	}
	end, closed := n.untold[jid]
	if t := n.way.took[jid]; !l.concerned(jid) || closed && t.word == end && slices.Contains(t.links, l) {
		l.lap.Told(jid)
		return true
	}
	l.words = slices.DeleteFunc(l.words, func(x word) bool { return x.end > 0 && x.jid == jid })
	l.jid, l.rest = jid, n.story(jid)
	if closed {
		l.rest = append(l.rest, word{jid: jid, end: end})
	}
	return true
}

// pieces parts a word into some that speak of at most n minions each: master.Story.
func (x word) pieces(n int) (out []word) {
	if !x.expectation {
		for ids := range slices.Chunk(sortedKeys(x.gone), n) {
			part := word{jid: x.jid, gone: map[string]ledger.Missing{}}
			for _, id := range ids {
				part.gone[id] = x.gone[id]
			}
			out = append(out, part)
		}
		for paths := range slices.Chunk(sortedKeys(x.nodes), n) {
			part := word{jid: x.jid, nodes: map[string]ledger.NodeState{}}
			for _, path := range paths {
				part.nodes[path] = x.nodes[path]
			}
			out = append(out, part)
		}
		return out
	}
	ids := slices.Clone(x.minions)
	counted := make(map[string]bool, len(ids))
	for _, id := range ids {
		counted[id] = true
	}
	for _, id := range sortedKeys(x.missing) {
		if !counted[id] {
			ids = append(ids, id)
		}
	}
	for first := true; first || len(ids) > 0; first = false {
		piece := ids[:min(n, len(ids))]
		ids = ids[len(piece):]
		part := x
		part.minions, part.missing = nil, map[string]string{}
		for _, id := range piece {
			if counted[id] {
				part.minions = append(part.minions, id)
			}
			if why, gone := x.missing[id]; gone {
				part.missing[id] = why
			}
		}
		if len(ids) > 0 {
			part.asked, part.partial = nil, true
		}
		out = append(out, part)
	}
	return out
}
