package matrix

import "slices"

// kind says whose daemon it is.
type kind string

// The kinds: ours, and the Salts of SALT_PEER and SALT_PEER3 by their version of the request protocol.
const (
	mom   kind = "mom"
	two   kind = "Salt/2"
	three kind = "Salt/3"
)

// Pairing is one world: a chain of masters and a minion of each kind below the last.
type Pairing struct {
	// Masters are the kinds from the top down: one or two.
	Masters []kind
	// Minions are the kinds of minions below the last master.
	Minions []kind
	// Commands are whose command line and API are tried at the top, beside its own.
	Commands []kind
}

// Pairings are all pairs that touch. What is of Salt alone is in it only where something of
// ours hangs below. A minion or node of protocol 3 below a master of protocol 2 is not: it
// dies at its first sign-in, whoever asks ([Impossible]).
func Pairings() []Pairing {
	all := []kind{mom, two, three}
	return []Pairing{
		{[]kind{mom}, all, []kind{two, three}},
		{[]kind{two}, []kind{mom, two}, []kind{mom}},
		{[]kind{three}, all, []kind{mom}},
		{[]kind{mom, mom}, all, nil},
		{[]kind{mom, two}, []kind{mom, two}, nil},
		{[]kind{mom, three}, all, nil},
		{[]kind{two, mom}, all, nil},
		{[]kind{three, mom}, all, nil},
		{[]kind{two, two}, []kind{mom}, nil},
		{[]kind{three, two}, []kind{mom}, nil},
		{[]kind{three, three}, []kind{mom}, nil},
	}
}

// Impossible are the chains that cannot be, since Salt itself cannot join protocol 3 below
// protocol 2.
func Impossible() (out []string) {
	all := []kind{mom, two, three}
	played := []string{}
	for _, p := range Pairings() {
		for _, m := range p.Minions {
			played = append(played, p.Column(m))
		}
	}
	for _, top := range all {
		for _, node := range append([]kind{""}, all...) {
			for _, minion := range all {
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

// Name says which masters there are: "mom – Salt/2".
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
