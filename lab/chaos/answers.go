//go:build linux

package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// calm is how long after its end a fault may still be the reason that a minion is not
	// waited for. A silent connection is closed after 6 s (zmq_heartbeat_timeout of these
	// worlds), its minions then have a lease of 5 s, and a reconnect takes a second or two,
	// more on a busy machine. After a start a master waits 15 s for earlier peers.
	calm = 15 * time.Second
	// moment is how long before and after a change of its place a minion counts as moving.
	// Looks are half a second apart.
	moment = 2 * time.Second
	// maxUnheard is how many minions that were not waited for are listed one by one.
	maxUnheard = 5
)

// answers checks that a command waits for healthy minions. A command that waits for an
// accepted job at its top must have the return of every minion of the target when the job
// ends, and the top must not have named that minion as missing before. A minion is excused
// if between the publication and that time
//
//   - the minion, the top, a node on the way, or a connection between two of them was
//     under a fault, or had been less than calm before; or
//   - the minion was moving from one node to another, or one of its nodes was.
//
// A small outbox that is full after an outage counts as a fault of its node (full.go). The
// way goes over the node where the top saw the minion, at home or elsewhere. Faults of the rest of
// the tree, of MariaDB, or of another top excuse nothing. Neither does a drain: its minions only move.
func (v *verdict) answers(j *job, h *heard, past *history) {
	if !j.accepted() {
		return // the command has reported the error and does not wait
	}
	for _, id := range j.Who {
		v.due++
		until, wrong := h.amiss(id)
		if until.IsZero() {
			until = time.Now()
		}
		if past.excuse(j.Top, id, j.at, until) != "" {
			continue
		}
		v.sure++
		if wrong == "" {
			continue
		}
		if v.unheard++; v.unheard <= maxUnheard {
			v.blame("job %s of %s: %s, %s after the publication; no fault touched it or its way (%s)",
				j.jid, j.Top, wrong, since(j.at, until), strings.Join(past.way(j.Top, id, j.at, until), ", "))
		}
	}
}

// amiss returns the error that a waiting command would have shown for a healthy minion, or "", and
// when. A zero time means that the command would still be waiting.
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
		return time.Time{}, "neither a return of " + id + " nor the end was reported"
	case !returned:
		return h.ended, id + " was not in the account when the job ended " + later
	case back.After(h.ended):
		return h.ended, "the job ended without " + id + ", which returned " + since(h.ended, back) + " later"
	}
	return back, ""
}

func since(from, to time.Time) string { return fmt.Sprintf("%.2f s", to.Sub(from).Seconds()) }

// excuse returns why no answer is expected of a minion between two times, or "" if it had
// to answer.
func (s *history) excuse(top, minion string, from, to time.Time) string {
	ways := s.ways(top, minion, from, to)
	reached := slices.Clone(ways)
	if s.unseen(top, minion, from, to) {
		reached = append(reached, []string{homeOf(minion)}) // a guest may have gone home and lost that master, too
	}
	for _, h := range s.hits {
		if h.from.After(to) || !h.to.IsZero() && h.to.Add(h.lingers()).Before(from) {
			continue
		}
		for _, places := range reached {
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

// lingers is how long after its end a fault may still be a reason. Jobs held back by a full outbox
// continue within a second.
func (f Fault) lingers() time.Duration {
	if f.What == Full {
		return moment
	}
	return calm
}

// ways returns where the top saw a minion around a span of time, in order and without repetition.
// One set of places means that it stayed. While it is seen nowhere, it counts as being at its last
// places.
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
			out = out[:0] // of the earlier looks, only the last counts
			add(places)
		default:
			if add(places); l.at.After(to) {
				return out
			}
		}
	}
	return out
}

// unseen reports whether the top saw a minion nowhere for a while.
func (s *history) unseen(top, minion string, from, to time.Time) bool {
	return slices.ContainsFunc(s.looks[top], func(l look) bool {
		return len(l.places[minion]) == 0 && l.at.After(from.Add(-moment)) && l.at.Before(to)
	})
}

// way lists the places of ways, for messages.
func (s *history) way(top, minion string, from, to time.Time) (out []string) {
	for _, places := range s.ways(top, minion, from, to) {
		out = append(out, places...)
	}
	return out
}

// homeOf returns the path of the node that a minion is configured for.
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

// touches reports whether a fault affects a member of a way, or a connection between two
// neighbours on it.
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
