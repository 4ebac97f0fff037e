package matrix

import (
	"slices"
	"strings"
)

// kind names a program: ours, or a Salt by its release.
type kind string

// The kinds: ours, and the Salts of SALT_PEER (request protocol 2), SALT_PEER3 (protocol 3) and
// SALT_PEER8. A world says which versions they were.
const (
	mom   kind = "mom"
	salt6 kind = "Salt 3006"
	salt7 kind = "Salt 3007"
	salt8 kind = "Salt 3008"
	// besides are masters of Salt's with our forwarder beside them, in the place of salt-syndic.
	beside6 kind = "Salt 3006 + mom"
	beside8 kind = "Salt 3008 + mom"
)

// kinds are all but the forwarders.
func kinds() []kind { return []kind{mom, salt6, salt7, salt8} }

// forwarder is the kind of the master beside which a forwarder of ours runs.
func (k kind) forwarder() (master kind, ok bool) {
	name, ok := strings.CutSuffix(string(k), " + mom")
	return kind(name), ok
}

// Pairing is one world: a chain of masters and a minion of each kind below the last.
type Pairing struct {
	// Masters are the kinds from the top down, at most three.
	Masters []kind
	// Minions are the kinds of minions below the last master.
	Minions []kind
	// Commands are whose command line and API are tried at the top, beside its own.
	Commands []kind
}

// Pairings are all pairs that touch. What is of Salt alone is in it only where something of
// ours hangs below, or for comparison. A minion or node of protocol 3 below a master of protocol 2
// is not: it dies at its first sign-in, whoever asks ([Impossible]).
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

// Impossible are the chains of up to two masters that cannot be, since Salt itself cannot join
// protocol 3 below protocol 2.
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

// Name says which masters there are: "mom – Salt 3006".
func (p Pairing) Name() string {
	s := string(p.Masters[0])
	for _, k := range p.Masters[1:] {
		s += " – " + string(k)
	}
	return s
}

// Column is the name of the chain down to a minion.
func (p Pairing) Column(minion kind) string { return p.Name() + " – " + string(minion) }

// tiers tells whether there is a node below the top.
func (p Pairing) tiers() bool { return len(p.Masters) > 1 }

// salts are the Salts that a world is made of.
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
