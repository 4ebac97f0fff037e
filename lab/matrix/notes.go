package matrix

import (
	"slices"
	"strings"
)

// Note says why cells cannot be or are not as asked, with what shows it.
type Note struct {
	Key string
	// None tells that it cannot be asked; else it is asked and not so.
	None bool
	// Side is where the cause is: mom or Salt.
	Side string
	Text string
	// about tells which cells it is about: the pairing, the column and the row.
	about func(p Pairing, c Column, row string) bool
}

// Notes are all that is known. A cell that is as asked bears none, whatever is said here.
func Notes() []Note {
	return []Note{
		{
			"upstream", true, "Salt", "A master of Salt's serves its own files alone: Salt has no file backend that asks the master above. Nodes of ours have one, `upstream` ([files.md](../guide/files.md)), also below a top of Salt's.",
			func(p Pairing, c Column, row string) bool {
				return c.Kind == OfMinion && row == "file of the top" && slices.ContainsFunc(p.Masters[1:], func(k kind) bool { return k != mom })
			},
		},
		{
			"start", true, "Salt", "Minions of Salt tell the start of a job since 3008, and a `salt-syndic` of Salt 3008 hands the wish for it on to no master below; our nodes and our forwarder do.",
			func(p Pairing, c Column, row string) bool {
				return c.Kind == OfMinion && row == "--start-event" && !p.tellsStart(c.Of)
			},
		},
		{
			"client", false, "Salt", "3006.0 without the patches of later releases closes the client by which its templates fetch files after the first template, so a second SLS that imports a file fails: `'NoneType' object has no attribute 'done'`. It fails so in `salt-call` and below masters of Salt too; 3006.0 as openSUSE shipped it does not.",
			func(p Pairing, c Column, row string) bool {
				return c.Kind == OfMinion && c.Of == salt6 && row == "state.apply"
			},
		},
		{
			"follow", false, "mom", "What waits for a job of ours ends when the master tells that the job is complete, and a master of Salt's never tells. `salt` starts the job, says so with its jid, and ends with 1, `salt -b` at the question who is there; the API starts it and answers 404 with the jid. `salt --async` with `salt-run jobs.lookup_jid` gives the results there, and so do Salt's own `salt` and `salt-api` on that host.",
			func(p Pairing, c Column, row string) bool {
				if p.top() == mom {
					return false
				}
				return c.Kind == OfCommands && slices.Contains([]string{"salt", "salt -G", "salt, failing", "state.apply", "salt -b 1", "salt -b 1 --async"}, row) || c.Kind == OfAPI && slices.Contains([]string{"local", "/minions"}, row)
			},
		},
		{
			"rules", false, "mom", "A master of Salt's does not tell by which rules somebody has logged in, so the API gives the events of that user's own jobs and calls alone, whatever the rules allow; this job is another's. `api_events: all` gives all of them to everybody who has logged in. Salt's own `salt-api` on that host gives them, too.",
			func(p Pairing, c Column, row string) bool {
				return p.top() != mom && c.Kind == OfAPI && row == "/events"
			},
		},
		{
			"jobfiles", false, "mom", "By choice: Salt's `salt-run` does not ask the master but reads the job cache of its host, `cachedir/jobs`. There a master of ours lays the load of each job and, without `job_cache_returns: True`, no returns: they are in its job store. `salt-run` of ours has them, `/jobs` of either API, and Salt's own where both masters' job cache is MySQL (`master_job_cache: mysql`).",
			func(p Pairing, c Column, row string) bool {
				return c.Kind == OfCommands && p.top() == mom && row == "jobs.lookup_jid"
			},
		},
	}
}

// note gives the note of a cell that is not as asked; nil: there is none.
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

// tellsStart tells whether a minion can tell the start of a job that was published at the top.
func (p Pairing) tellsStart(minion kind) bool {
	return newer(minion) && !slices.ContainsFunc(p.Masters[1:], func(k kind) bool {
		_, forwarder := k.forwarder()
		return k != mom && !forwarder
	})
}

// top is the kind of the top.
func (p Pairing) top() kind { return p.Masters[0] }

// Title says what a column is: a chain down to a minion, or what stands beside the top.
func (t Table) Title(c Column) string {
	if c.Kind == OfMinion {
		return t.Name + " – " + string(c.Of)
	}
	top, _, _ := strings.Cut(t.Name, " – ")
	return c.Kind + " of " + string(c.Of) + " at " + top
}
