package config

import (
	"fmt"
	"maps"
	"slices"
)

// Role is the set of daemons that read an option.
type Role uint8

// The two roles, combined by or.
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

// notYet warns about a known option that is not served.
func (r *reader) notYet(s setting, who Role) bool {
	if NotYet[s.name]&who == 0 {
		return false
	}
	text := fmt.Sprintf("option %s is not supported yet and has no effect", s.name)
	//mutant:unserved-option-says-its-effect
	if e := Effects[s.name]; e != "" {
		text += ": " + e
	}
	r.warn(s.place, NoEffect, s.name, text)
	return true
}

// foreign warns about an option that has no row in the table of this role.
func (r *reader) foreign(s setting, who Role) {
	switch {
	case isDatabase(s.name), isExtra(s.name), who == Masters && logins[s.name]: // read beside the table
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
	if near := Similar(name, names); near != "" {
		text += fmt.Sprintf("; did you mean %s?", near)
	} else {
		text += " has no effect"
	}
	r.warn(s.place, UnknownOption, name, text)
}
