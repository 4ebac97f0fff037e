package sqlrows

// Table is a target of batched inserts.
type Table struct {
	Name    string
	Columns []string
	// Conflict says what happens to a row whose key exists: the text after ON DUPLICATE KEY UPDATE in MySQL, after
	// ON CONFLICT in PostgreSQL.
	Conflict string
	// Merges: the conflict changes the row that exists.
	Merges bool
	// Repeatable: a batch with an unknown outcome may be sent again.
	Repeatable bool
}

// Conflicts are the texts of [Table.Conflict], by table.
type Conflicts struct {
	// Loads keeps the first load of a job, except when an extended job names more minions.
	Loads string
	// Returns and Nodes change nothing: the first one stays. Events as well, by mom_key.
	Returns, Nodes, Events string
	// Expected decides between the states of one minion that several masters write, in any order. A longer path means a
	// node further up, whose state is newer: it wins. Of equal paths the later row wins. Of different nodes at the same
	// distance, as after a minion moved, the one that asks the minion wins until it reports otherwise.
	Expected string
	// Stored and Held set the time to that of the database's clock, never of a master's.
	Stored, Held string
}

// Tables are the tables of jobs.
type Tables struct{ Loads, Returns, Nodes, Events, Expected, Stored, Held *Table }

// NewTables returns the tables with a database's own conflicts.
func NewTables(c Conflicts) *Tables {
	return &Tables{
		Loads:    &Table{"jids", []string{"jid", "load"}, c.Loads, true, true},
		Returns:  &Table{"salt_returns", []string{"fun", "jid", "return", "id", "success", "full_ret", "alter_time"}, c.Returns, false, true},
		Nodes:    &Table{"mom_nodes", []string{"jid", "node", "alter_time"}, c.Nodes, false, true},
		Events:   &Table{"salt_events", []string{"tag", "data", "alter_time", "master_id", "mom_key"}, c.Events, false, false},
		Expected: &Table{"mom_expected", []string{"jid", "id", "node", "missing", "alter_time"}, c.Expected, true, true},
		Stored:   &Table{"mom_jobs", []string{"jid"}, c.Stored, true, true},
		Held:     &Table{"mom_jobs", []string{"jid"}, c.Held, true, true},
	}
}

// waves splits sorted rows so that no part has two rows of one key, if the table merges rows. Rows of one key keep
// their order.
func waves(t *Table, rows []Row) (out [][]Row) {
	wave := 0
	for i := range rows {
		if wave++; i == 0 || !t.Merges || rows[i].JID != rows[i-1].JID || rows[i].ID != rows[i-1].ID {
			wave = 0
		}
		if wave == len(out) {
			out = append(out, nil)
		}
		out[wave] = append(out[wave], rows[i])
	}
	return out
}
