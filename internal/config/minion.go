package config

// Minion holds the options of a minion and of salt-call. The groups are embedded, so every
// option is a field of Minion.
type Minion struct {
	Common        `yaml:",inline"`
	MinionFiles   `yaml:",inline"`
	MinionNetwork `yaml:",inline"`
	MinionSignIn  `yaml:",inline"`
	MinionJobs    `yaml:",inline"`
	MinionModules `yaml:",inline"`
	MinionStates  `yaml:",inline"`

	// MySQL holds the mysql.* options, for the returner mysql.
	MySQL MySQLOptions

	source
}

// Masterless reports whether a call uses no master: `master_type: disable` or `file_client:
// local` without `use_master_when_local`.
func (m *Minion) Masterless() bool {
	//mutant:modules-masterless-call
	return m.MasterType == "disable" || m.FileClient == "local" && !m.UseMasterWhenLocal
}
