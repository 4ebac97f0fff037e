package matrix

import "context"

// Row is a check of every minion of a world.
type Row struct {
	Name string
	// About describes the expected result.
	About string
	// when reports in which worlds it applies; nil: all.
	when func(Pairing) bool
	// restarts is set for rows that run after the commands and APIs.
	restarts bool
	ask      func(context.Context, *world) verdicts
}

// Rows returns all rows in order; restarts come last.
func Rows() []Row {
	return []Row{
		{"test.ping", "by the top's own `salt -L`, exit 0", nil, false, ping},
		{"cmd.run", "the output and, if it fails, the code", nil, false, cmdRun},
		{"grains", "`grains.items`, and a job to `-G kernel:Linux`", nil, false, grains},
		{"pillar", "`pillar.items`, compiled by the minion's own master with its grains", nil, false, pillar},
		{"saltutil.sync_all", "a module from `salt://_modules`, and a call of it", nil, false, syncAll},
		{"file.managed", "from `salt://` of the minion's own master, byte for byte", nil, false, fileManaged},
		{"state.apply", "a formula with `map.jinja`, `include`, requisites, a template and pillar; a second run changes nothing", nil, false, formula},
		{"mine", "`mine.update` by the pillar's `mine_functions`, `mine.get` of all", nil, false, mine},
		{"publish.publish", "to all minions of the master, by its `peer`", nil, false, publish},
		{"event", "`event.send` on the bus of the minion's own master", nil, false, event},
		{"event at the top", "the same under `syndic/<id>/`, with the id of the node directly below the top", Pairing.tiers, false, eventAtTop},
		{"--async, lookup_jid", "`salt --async`, then `salt-run jobs.lookup_jid`, both the top's own", nil, false, lookup},
		{"salt -b 1", "by the top's own `salt`: every minion runs once, exit 0; all under one job id where that is mom's or Salt 3008's", nil, false, batch},
		{"salt -b 1 --async", "the same, driven by the top after the command has ended", Pairing.newTop, false, batchAsync},
		{"--start-event", "`salt/job/<jid>/start/<id>` on the bus of the minion's own master", Pairing.newTop, false, startEvent},
		{"file of the top", "`cp.get_file_str` of a file that only the top has", Pairing.tiers, false, fileOfTop},
		{"minion restarted", "SIGTERM, a start, an answer to the top", nil, true, restartMinions},
		{"node restarted", "the same for the masters between the top and the minions, one after the other", Pairing.tiers, true, restartNode},
		{"top restarted", "the same for the top", nil, true, restartTop},
	}
}

// asked reports whether a row applies to a pairing.
func (r Row) asked(p Pairing) bool { return r.when == nil || r.when(p) }

// newTop reports whether the top is [newer].
func (p Pairing) newTop() bool { return newer(p.top()) }
