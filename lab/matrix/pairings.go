package matrix

import (
	"slices"
	"strings"
)

// kind names a program: mom, or a release of Salt.
type kind string

// The kinds: mom, and the Salts of SALT_PEER (request protocol 2), SALT_PEER3 (protocol 3) and
// SALT_PEER8. Each table records their versions.
const (
	mom   kind = "mom"
	salt6 kind = "Salt 3006"
	salt7 kind = "Salt 3007"
	salt8 kind = "Salt 3008"
	// Masters of Salt's with mom's forwarder beside them, in place of salt-syndic.
	beside6 kind = "Salt 3006 + mom"
	beside8 kind = "Salt 3008 + mom"
)

// kinds returns all kinds except those with a forwarder.
func kinds() []kind { return []kind{mom, salt6, salt7, salt8} }

// forwarder returns the kind of the master beside which mom's forwarder runs.
func (k kind) forwarder() (master kind, ok bool) {
	name, ok := strings.CutSuffix(string(k), " + mom")
	return kind(name), ok
}

// Pairing is a world: a chain of masters and a minion of each kind below the last.
type Pairing struct {
	// Masters are the kinds from the top down, at most three.
	Masters []kind
	// Minions are the kinds of minions below the last master.
	Minions []kind
	// Commands are the kinds whose command line and API are tried at the top, beside its own.
	Commands []kind
}

// Pairings returns all pairs of daemons in contact. Chains of Salt alone are in it only with mom
// below, or for comparison. A minion or node of protocol 3 below a master of protocol 2 is left out:
// its first sign-in fails with any program ([Impossible]).
func Pairings() []Pairing {
	all := kinds()
	return []Pairing{
		{[]kind{mom}, all, []kind{salt6, salt7, salt8}},
		{[]kind{salt6}, []kind{mom, salt6}, []kind{mom}},
		{[]kind{salt7}, []kind{mom, salt6, salt7}, []kind{mom}},
		{[]kind{salt8}, all, []kind{mom}},
		{[]kind{mom, mom}, all, nil},
		{[]kind{mom, salt6}, []kind{mom, salt6}, nil},
		{[]kind{mom, salt7}, all, nil},
		{[]kind{mom, salt8}, all, nil},
		{[]kind{salt6, mom}, all, nil},
		{[]kind{salt7, mom}, all, nil},
		{[]kind{salt8, mom}, all, nil},
		{[]kind{salt6, salt6}, []kind{mom}, nil},
		{[]kind{salt7, salt6}, []kind{mom}, nil},
		{[]kind{salt7, salt7}, []kind{mom}, nil},
		{[]kind{salt7, salt8}, []kind{mom}, nil},
		{[]kind{salt8, salt6}, []kind{mom}, nil},
		{[]kind{salt8, salt7}, []kind{mom}, nil},
		{[]kind{salt8, salt8}, []kind{mom}, nil},
		{[]kind{mom, beside8}, []kind{mom, salt8}, nil},
		{[]kind{salt8, beside8}, []kind{mom, salt8}, nil},
		{[]kind{salt8, beside6}, []kind{mom, salt6}, nil},
		// Three releases of Salt in one tree, and the mirror images: the releases exchanged, and the tiers.
		{[]kind{salt7, mom, salt8}, []kind{mom, salt6}, nil},
		{[]kind{salt6, mom, salt8}, []kind{mom, salt7}, nil},
		{[]kind{salt7, salt8, mom}, []kind{mom, salt6}, nil},
	}
}

// Impossible lists the chains of up to two masters that Salt itself cannot form: protocol 3 below
// protocol 2.
func Impossible() (out []string) {
	played := []string{}
	for _, p := range Pairings() {
		for _, m := range p.Minions {
			played = append(played, p.Column(m))
		}
	}
	for _, top := range kinds() {
		for _, node := range append([]kind{""}, kinds()...) {
			for _, minion := range kinds() {
				p := Pairing{Masters: []kind{top}}
				if node != "" {
					p.Masters = append(p.Masters, node)
				}
				ours := slices.Contains(p.Masters, mom) || minion == mom
				if name := p.Column(minion); ours && !slices.Contains(played, name) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// Name lists the masters: "mom – Salt 3006".
func (p Pairing) Name() string {
	s := string(p.Masters[0])
	for _, k := range p.Masters[1:] {
		s += " – " + string(k)
	}
	return s
}

// Column returns the name of the chain down to a minion.
func (p Pairing) Column(minion kind) string { return p.Name() + " – " + string(minion) }

// tiers reports whether there is a node below the top.
func (p Pairing) tiers() bool { return len(p.Masters) > 1 }

// salts lists the Salts in a world.
func (p Pairing) salts() (out []kind) {
	for _, k := range slices.Concat(p.Masters, p.Minions, p.Commands) {
		if master, ok := k.forwarder(); ok {
			k = master
		}
		if k != mom && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}
