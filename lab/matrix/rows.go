package matrix

import "context"

// Row is what is asked of every minion of a world.
type Row struct {
	Name string
	// About says what has to come.
	About string
	// when tells in which worlds it is asked; nil: in all.
	when func(Pairing) bool
	// restarts is for rows that come after the commands and APIs.
	restarts bool
	ask      func(context.Context, *world) verdicts
}

// Rows are all that is asked, in the order in which it is; restarts come last.
func Rows() []Row {
	return []Row{
		{"test.ping", "by the `salt -L` that belongs to the top, exit 0", nil, false, ping},
		{"cmd.run", "the output and, of one that fails, the code", nil, false, cmdRun},
		{"grains", "`grains.items`, and a job to `-G kernel:Linux`", nil, false, grains},
		{"pillar", "`pillar.items`, compiled by the minion's own master with its grains", nil, false, pillar},
		{"saltutil.sync_all", "a module from `salt://_modules`, and a call of it", nil, false, syncAll},
		{"file.managed", "from `salt://` of the minion's own master, byte for byte", nil, false, fileManaged},
		{"state.apply", "a formula with `map.jinja`, `include`, requisites, a template and pillar; a second run changes nothing", nil, false, formula},
		{"mine", "`mine.update` by the pillar's `mine_functions`, `mine.get` of all", nil, false, mine},
		{"publish.publish", "to all minions of the master, by its `peer`", nil, false, publish},
		{"event", "`event.send` on the bus of the minion's own master", nil, false, event},
		{"event at the top", "the same under `syndic/<id>/`, with the id of the node directly below the top", Pairing.tiers, false, eventAtTop},
		{"--async, lookup_jid", "`salt --async`, then `salt-run jobs.lookup_jid`, both those that belong to the top", nil, false, lookup},
		{"salt -b 1", "by the `salt` that belongs to the top: every minion runs once, exit 0; all under one job id where that is ours or of Salt 3008", nil, false, batch},
		{"salt -b 1 --async", "the same, driven by the top after the command has ended", Pairing.newTop, false, batchAsync},
		{"--start-event", "`salt/job/<jid>/start/<id>` on the bus of the minion's own master", Pairing.newTop, false, startEvent},
		{"file of the top", "`cp.get_file_str` of a file that only the top has", Pairing.tiers, false, fileOfTop},
		{"minion restarted", "SIGTERM, a start, an answer to the top", nil, true, restartMinions},
		{"node restarted", "the same of the masters between the top and the minions, one after the other", Pairing.tiers, true, restartNode},
		{"top restarted", "the same of the top", nil, true, restartTop},
	}
}

// asked tells whether a row is asked of a pairing.
func (r Row) asked(p Pairing) bool { return r.when == nil || r.when(p) }

// newTop tells whether the top is [newer].
func (p Pairing) newTop() bool { return newer(p.top()) }
