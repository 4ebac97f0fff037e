//go:build linux

package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// calm is how long after a fault has ended it may still be the reason why a minion
	// is not waited for: a connection that fell silent is given up after 6 s
	// (zmq_heartbeat_timeout of these worlds), what hung on it then has a lease of 5 s,
	// and coming back takes a second or two, more on a busy machine. After a start a
	// master waits 15 s for those who were there before.
	calm = 15 * time.Second
	// moment is how long before and after a change of its place a minion is on the move.
	// Looks are half a second apart.
	moment = 2 * time.Second
	// maxUnheard is how many minions that were not waited for are told one by one.
	maxUnheard = 5
)

// answers: who is well is waited for. The rule is this. A command that waits for an
// accepted job at its top must have the return of every minion of the target when it
// ends, and must not have named it as missing before; unless from the publication
// until then
//
//   - the minion, the top, a node on the way, or a connection between two of them was
//     under a fault, or had been less than calm ago; or
//   - the minion was on the move from one node to another, or one of its nodes was.
//
// A small outbox that an outage has filled is a fault of its node (full.go). The way is
// that over the node where the top saw the minion, at home or elsewhere. What else
// happens to the rest of the tree, to MariaDB, or to another top excuses nothing, and a node that drains does not either: its minions only move.
func (v *verdict) answers(j *job, h *heard, story *history) {
	if !j.accepted() {
		return // the command has told so, and waits for nobody
	}
	for _, id := range j.Who {
		v.due++
		until, wrong := h.amiss(id)
		if until.IsZero() {
			until = time.Now()
		}
		if story.excuse(j.Top, id, j.at, until) != "" {
			continue
		}
		v.sure++
		if wrong == "" {
			continue
		}
		if v.unheard++; v.unheard <= maxUnheard {
			v.blame("job %s of %s: %s, %s after the publication; nothing had happened to it or its way (%s)",
				j.jid, j.Top, wrong, since(j.at, until), strings.Join(story.way(j.Top, id, j.at, until), ", "))
		}
	}
}

// amiss tells what a command that waited would have shown wrong of a minion that was
// well, "" for nothing, and when. Zero: it would be waiting still.
func (h *heard) amiss(id string) (at time.Time, wrong string) {
	back, returned := h.first[id]
	later := "and never returned"
	if n, named := h.named[id]; named {
		if returned {
			later = "and returned " + since(n.at, back) + " later"
		}
		return n.at, fmt.Sprintf("%s was named as missing (%s, behind %q) %s", id, n.reason, n.path, later)
	}
	switch {
	case h.ended.IsZero() && returned:
		return back, ""
	case h.ended.IsZero():
		return time.Time{}, "neither a return of " + id + " was told nor an end"
	case !returned:
		return h.ended, id + " was not in the account when the job ended " + later
	case back.After(h.ended):
		return h.ended, "the job ended without " + id + ", which returned " + since(h.ended, back) + " later"
	}
	return back, ""
}

func since(from, to time.Time) string { return fmt.Sprintf("%.2f s", to.Sub(from).Seconds()) }

// excuse tells why nothing is expected of a minion from one time to another; "" when
// it had to answer.
func (s *history) excuse(top, minion string, from, to time.Time) string {
	ways := s.ways(top, minion, from, to)
	for _, h := range s.hits {
		if h.from.After(to) || !h.to.IsZero() && h.to.Add(h.lingers()).Before(from) {
			continue
		}
		for _, places := range ways {
			for _, place := range places {
				if h.touches(wayTo(top, place, minion)) {
					return h.String()
				}
			}
		}
	}
	if len(ways) > 1 {
		return fmt.Sprintf("it was on the move: %v", ways)
	}
	return ""
}

// lingers is how long after its end a fault may still be a reason: jobs that an outbox
// without room has kept back go on within a second.
func (f Fault) lingers() time.Duration {
	if f.What == Full {
		return moment
	}
	return calm
}

// ways gives where the top saw a minion in the moments around a time, in order and
// without repetition: one set of places means that it stayed. When it was seen
// nowhere, it counts as being where it was before.
func (s *history) ways(top, minion string, from, to time.Time) (out [][]string) {
	from, to = from.Add(-moment), to.Add(moment)
	add := func(places []string) {
		if len(out) == 0 || !slices.Equal(out[len(out)-1], places) {
			out = append(out, places)
		}
	}
	add([]string{homeOf(minion)})
	for _, l := range s.looks[top] {
		places := l.places[minion]
		switch {
		case len(places) == 0:
		case !l.at.After(from):
			out = out[:0] // of what was before, the last look counts
			add(places)
		default:
			if add(places); l.at.After(to) {
				return out
			}
		}
	}
	return out
}

// way lists the places of ways, for people.
func (s *history) way(top, minion string, from, to time.Time) (out []string) {
	for _, places := range s.ways(top, minion, from, to) {
		out = append(out, places...)
	}
	return out
}

// homeOf is the path of the node that a minion is planted below.
func homeOf(minion string) string {
	var path []string
	for at := minion; ; {
		r := shape[stationOf(at)]
		if len(r.parents) == 0 || r.tier == 2 {
			break
		}
		at = r.parents[0]
		path = append([]string{at}, path...)
	}
	return strings.Join(path, "/")
}

// wayTo lists the members from a top to a minion below the node of a path.
func wayTo(top, path, minion string) []string {
	return append(append([]string{top}, strings.FieldsFunc(path, func(r rune) bool { return r == '/' })...), minion)
}

// touches tells whether a fault is about a member of a way, or a connection between
// two that follow each other.
func (f Fault) touches(way []string) bool {
	switch f.What {
	case Drain, SQLKill, SQLStop, SQLPause:
		return false
	case Kill, Restart, Pause, Disk, Clock, Full:
		return slices.Contains(way, f.Who)
	}
	return slices.ContainsFunc(f.edges(), func(e edge) bool {
		for i, id := range way[1:] {
			a, b := stationOf(way[i]), stationOf(id)
			if e == (edge{a, b}) || e == (edge{b, a}) {
				return true
			}
		}
		return false
	})
}
