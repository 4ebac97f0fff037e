package config

// Master holds the options of a master and of its command line tools. The groups are embedded,
// so every option is a field of Master.
type Master struct {
	Common           `yaml:",inline"`
	MasterFiles      `yaml:",inline"`
	MasterFileserver `yaml:",inline"`
	MasterGit        `yaml:",inline"`
	MasterNetwork    `yaml:",inline"`
	MasterKeys       `yaml:",inline"`
	MasterJobs       `yaml:",inline"`
	MasterEvents     `yaml:",inline"`
	MasterReact      `yaml:",inline"`
	MasterAccess     `yaml:",inline"`
	MasterSyndic     `yaml:",inline"`
	MasterAPI        `yaml:",inline"`
	MasterRender     `yaml:",inline"`
	MasterPillar     `yaml:",inline"`
	MasterStates     `yaml:",inline"`

	MasterTopology `yaml:",inline"`

	// MySQL holds the mysql.* options.
	MySQL MySQLOptions

	source
}
