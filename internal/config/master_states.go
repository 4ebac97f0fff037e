package config

// MasterStates are options that a master tells its minions, which render states by them.
type MasterStates struct {
	// DefaultTop is the environment whose top file counts with top_file_merging_strategy
	// same. Default base.
	DefaultTop string `yaml:"default_top" default:"base"`
	// TopFileMergingStrategy is how minions merge the top files of several environments.
	// Default merge.
	TopFileMergingStrategy string `yaml:"top_file_merging_strategy" default:"merge" oneof:"merge same merge_all" unknown:"default"`
	// StateTopSaltenv is the one environment whose top file counts. Default none: all.
	StateTopSaltenv string `yaml:"state_top_saltenv"`
	// Failhard has minions stop at the first state that fails. Default false.
	Failhard bool `yaml:"failhard" default:"false"`
	// StateAutoOrder runs states in the order in which they are written. Default true.
	StateAutoOrder bool `yaml:"state_auto_order" default:"true"`
	// StateEvents has minions, and orchestrations, fire an event for each state. Default false.
	StateEvents bool `yaml:"state_events" default:"false"`
	// StateAggregate has minions join states that can be: true, or those of these modules.
	// Default false.
	StateAggregate Aggregate `yaml:"state_aggregate" default:"false"`
	// JinjaLstripBlocks takes the blanks before a block of a template away; older than
	// jinja_env. Default false.
	JinjaLstripBlocks bool `yaml:"jinja_lstrip_blocks" default:"false"`
	// JinjaTrimBlocks takes the line's end behind a block away. Default false.
	JinjaTrimBlocks bool `yaml:"jinja_trim_blocks" default:"false"`
	// MasterTops are sources of states beside the top file: {ext_nodes: COMMAND}, which is
	// given the id of a minion and prints YAML with classes. Default none.
	MasterTops map[string]any `yaml:"master_tops"`
}
