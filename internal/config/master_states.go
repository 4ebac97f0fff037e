package config

// MasterStates holds options that a master sends to its minions, which collect states by them.
type MasterStates struct {
	// DefaultTop is the environment whose top file counts with `top_file_merging_strategy: same`.
	DefaultTop string `yaml:"default_top" default:"base"`
	// TopFileMergingStrategy is how minions merge the top files of several environments.
	TopFileMergingStrategy string `yaml:"top_file_merging_strategy" default:"merge" oneof:"merge same merge_all" unknown:"default"`
	// StateTopSaltenv is the only environment whose top file counts. Default: all.
	StateTopSaltenv string `yaml:"state_top_saltenv"`
	// Failhard controls whether minions stop at the first failed state.
	Failhard bool `yaml:"failhard" default:"false"`
	// StateAutoOrder controls whether states run in the order in which they are written.
	StateAutoOrder bool `yaml:"state_auto_order" default:"true"`
	// StateEvents controls whether minions and orchestrations fire an event per state.
	StateEvents bool `yaml:"state_events" default:"false"`
	// StateAggregate controls whether minions combine states that support it: all with `true`, or
	// those of the listed modules.
	StateAggregate Aggregate `yaml:"state_aggregate" default:"false"`
	// JinjaLstripBlocks controls whether blanks before a template block are removed. Use jinja_env
	// instead.
	JinjaLstripBlocks bool `yaml:"jinja_lstrip_blocks" default:"false"`
	// JinjaTrimBlocks controls whether the newline after a template block is removed. Use jinja_env
	// instead.
	JinjaTrimBlocks bool `yaml:"jinja_trim_blocks" default:"false"`
	// MasterTops is a map of state sources beside the top file: `{ext_nodes: COMMAND}`. The command
	// gets the minion id and prints YAML with classes.
	MasterTops map[string]any `yaml:"master_tops"`
}
