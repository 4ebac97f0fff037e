package matrix

import (
	"slices"
	"strings"
)

// Note explains why cells cannot be played or have a fault, with the evidence.
type Note struct {
	Key string
	// None is set if the row cannot be played; otherwise it is played and fails.
	None bool
	// Side is the program that causes it: mom or Salt.
	Side string
	Text string
	// about reports whether the note applies to a cell, given by pairing, column and row.
	about func(p Pairing, c Column, row string) bool
}

// Notes returns all notes. A cell without a fault has none, even if one applies.
func Notes() []Note {
	return []Note{
		{
			"upstream", true, "Salt", "A master of Salt's serves only its own files: Salt has no file backend that asks the master above. mom's nodes have one, `upstream` ([files.md](../guide/files.md)), also below Salt's top.",
			func(p Pairing, c Column, row string) bool {
				return c.Kind == OfMinion && row == "file of the top" && slices.ContainsFunc(p.Masters[1:], func(k kind) bool { return k != mom })
			},
		},
		{
			"start", true, "Salt", "Salt's minions send the start event of a job since 3008, and its masters pass the request for it to them since 3008. Salt 3008's `salt-syndic` does not pass it to masters below; mom's nodes and forwarder do.",
			func(p Pairing, c Column, row string) bool {
				return row == "--start-event" && (c.Kind == OfMinion && !p.firesStart(c.Of) || c.Kind == OfCommands && !newer(p.top()))
			},
		},
		{
			"client", false, "Salt", "3006.0 without the patches of later releases closes the client of its templates after the first template, so a second SLS that imports a file fails: `'NoneType' object has no attribute 'done'`. The same happens in `salt-call` and below Salt's masters; 3006.0 as openSUSE shipped it works.",
			func(p Pairing, c Column, row string) bool {
				return c.Kind == OfMinion && c.Of == salt6 && row == "state.apply"
			},
		},
		{
			"handed", false, "mom", "Salt's masters drive batches since 3008, and have no request that starts one: Salt 3008's own `salt` writes the batch into the master's cache directory. mom's `salt` asks with `test.ping` which minions are up, then starts nothing and exits with 1. Omit `--async`, or use Salt 3008's own `salt` on that host.",
			func(p Pairing, c Column, row string) bool {
				return p.top() != mom && c.Kind == OfCommands && c.Of == mom && row == "salt -b 1 --async"
			},
		},
		{
			"rules", false, "mom", "Salt's masters do not report the rules of a login, so the API sends only the events of the user's own jobs and calls, whatever the rules allow; this job is another user's. `api_events: all` sends all events to every user who has logged in. Salt's own `salt-api` on that host sends them too.",
			func(p Pairing, c Column, row string) bool {
				return p.top() != mom && c.Kind == OfAPI && row == "/events"
			},
		},
		{
			"jobfiles", false, "mom", "By choice: Salt's `salt-run` does not ask the master but reads the job cache of its host, `cachedir/jobs`. mom's master writes the load of each job there, and returns only with `job_cache_returns: True`: they are in its job store. mom's `salt-run` and `/jobs` of either API show them, and so does Salt's `salt-run` if both masters' job cache is MySQL (`master_job_cache: mysql`).",
			func(p Pairing, c Column, row string) bool {
				return c.Kind == OfCommands && p.top() == mom && row == "jobs.lookup_jid"
			},
		},
	}
}

// note returns the note of a cell with a fault, or nil.
func (t Table) note(c Column, cell Cell) *Note {
	for _, p := range Pairings() {
		if p.Name() != t.Name {
			continue
		}
		for _, n := range Notes() {
			if n.about(p, c, cell.Row) {
				return &n
			}
		}
	}
	return nil
}

// firesStart reports whether a minion can send the start event of a job that was published at the top.
func (p Pairing) firesStart(minion kind) bool {
	return newer(minion) && !slices.ContainsFunc(p.Masters[1:], func(k kind) bool {
		below, forwarder := k.forwarder()
		return k != mom && !(forwarder && newer(below))
	})
}

// top returns the kind of the top.
func (p Pairing) top() kind { return p.Masters[0] }

// Title describes a column: a chain down to a minion, or a program beside the top.
func (t Table) Title(c Column) string {
	if c.Kind == OfMinion {
		return t.Name + " – " + string(c.Of)
	}
	top, _, _ := strings.Cut(t.Name, " – ")
	return c.Kind + " of " + string(c.Of) + " at " + top
}
