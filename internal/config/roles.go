package config

import (
	"fmt"
	"maps"
	"slices"
)

// Role says who reads an option.
type Role uint8

// The two roles, to be added.
const (
	Masters Role = 1 << iota
	Minions
	Both = Masters | Minions
)

func (w Role) table() map[string]option {
	if w == Minions {
		return minionTable()
	}
	return masterTable()
}

func (w Role) other() Role { return Both &^ w }

func (w Role) String() string {
	switch w {
	case Masters:
		return "master"
	case Minions:
		return "minion"
	}
	return "master and minion"
}

// notYet warns of an option that is known but not served.
func (r *reader) notYet(s setting, who Role) bool {
	if NotYet[s.name]&who == 0 {
		return false
	}
	text := fmt.Sprintf("option %s is not supported yet and has no effect", s.name)
	if e := Effects[s.name]; e != "" {
		text += ": " + e
	}
	r.warn(s.place, NoEffect, s.name, text)
	return true
}

// foreign warns of an option that is no typed option of this role.
func (r *reader) foreign(s setting, who Role) {
	switch {
	case isMySQL(s.name), isExtra(s.name), who == Masters && logins[s.name]: // read beside the table
	case who == Minions && masterless(s.name): // read by PillarMaster
	case r.notYet(s, who):
	case NotNeeded[s.name] != "":
		r.warn(s.place, NoEffect, s.name, fmt.Sprintf("option %s has no effect: %s", s.name, NotNeeded[s.name]))
	case isOption(s.name, who.other()):
		r.warn(s.place, WrongRole, s.name, fmt.Sprintf("option %s is read by a %s; here it has no effect", s.name, who.other()))
	default:
		names := slices.Collect(maps.Keys(who.table()))
		for n, w := range NotYet {
			if w&who != 0 {
				names = append(names, n)
			}
		}
		names = slices.AppendSeq(names, maps.Keys(extra))
		if who == Masters {
			names = slices.AppendSeq(names, maps.Keys(logins))
		}
		r.unknown(s, slices.AppendSeq(names, maps.Keys(NotNeeded)), s.name)
	}
}

func isOption(name string, who Role) bool {
	_, ok := who.table()[name]
	return ok || NotYet[name]&who != 0
}

func (r *reader) unknown(s setting, names []string, name string) {
	text := fmt.Sprintf("unknown option %s", name)
	if near := nearest(name, names); near != "" {
		text += fmt.Sprintf("; did you mean %s?", near)
	} else {
		text += " has no effect"
	}
	r.warn(s.place, UnknownOption, name, text)
}

// nearest finds the name with the fewest typing errors (letters changed,
// added, left out, swapped), if there are few enough.
func nearest(name string, names []string) string {
	best, limit := "", min(3, max(1, len(name)/3))
	slices.Sort(names)
	for _, n := range names {
		if d := distance(name, n, limit); d <= limit && n != name {
			best, limit = n, d-1
		}
	}
	return best
}

// distance is the optimal string alignment distance, or limit+1 when it is
// above limit.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit || len(a) > 200 {
		return limit + 1
	}
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
