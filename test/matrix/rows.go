package matrix

import "context"

// Row is what is asked of every minion of a world.
type Row struct {
	Name string
	// About says what has to come.
	About string
	// tiers is for worlds with a node below the top alone.
	tiers bool
	// restarts is for rows that come after the commands and APIs.
	restarts bool
	ask      func(context.Context, *world) verdicts
}

// Rows are all that is asked, in the order in which it is; restarts come last.
func Rows() []Row {
	return []Row{
		{"test.ping", "by the `salt -L` that belongs to the top, exit 0", false, false, ping},
		{"cmd.run", "the output and, of one that fails, the code", false, false, cmdRun},
		{"grains", "`grains.items`, and a job to `-G kernel:Linux`", false, false, grains},
		{"pillar", "`pillar.items`, compiled by the minion's own master with its grains", false, false, pillar},
		{"saltutil.sync_all", "a module from `salt://_modules`, and a call of it", false, false, syncAll},
		{"file.managed", "from `salt://` of the minion's own master, byte for byte", false, false, fileManaged},
		{"state.apply", "a formula with `map.jinja`, `include`, requisites, a template and pillar; a second run changes nothing", false, false, formula},
		{"mine", "`mine.update` by the pillar's `mine_functions`, `mine.get` of all", false, false, mine},
		{"publish.publish", "to all minions of the master, by its `peer`", false, false, publish},
		{"event", "`event.send` on the bus of the minion's own master", false, false, event},
		{"event at the top", "the same under `syndic/<id>/`", true, false, eventAtTop},
		{"--async, lookup_jid", "`salt --async`, then `salt-run jobs.lookup_jid`, both those that belong to the top", false, false, lookup},
		{"file of the top", "`cp.get_file_str` of a file that only the top has", true, false, fileOfTop},
		{"minion restarted", "SIGTERM, a start, an answer to the top", false, true, restartMinions},
		{"node restarted", "the same of the master of the minions", true, true, restartNode},
		{"top restarted", "the same of the top", false, true, restartTop},
	}
}

// asked tells whether a row is asked of a pairing.
func (r Row) asked(p Pairing) bool { return !r.tiers || p.tiers() }
