package config

import "time"

// MinionStates says how a minion collects and runs states. With a master, its own options
// of the same names count for collecting (state_top, state_top_saltenv, renderer, failhard,
// state_auto_order, top_file_merging_strategy, env_order, default_top, jinja_env,
// jinja_sls_env); these are for file_client local and salt-call --local.
type MinionStates struct {
	// StateTop is the path of the top file. Default top.sls.
	StateTop string `yaml:"state_top" default:"top.sls"`
	// StateTopSaltenv is the one environment the top file is read from. Default none: all.
	StateTopSaltenv string `yaml:"state_top_saltenv"`
	// TopFileMergingStrategy joins the top files of several environments: merge, same or
	// merge_all. Default merge.
	TopFileMergingStrategy string `yaml:"top_file_merging_strategy" default:"merge" oneof:"merge same merge_all" unknown:"default"`
	// EnvOrder is the order of environments. Default that of file_roots.
	EnvOrder []string `yaml:"env_order"`
	// DefaultTop is the environment whose top file serves those without one, with the strategy
	// same. Default base.
	DefaultTop string `yaml:"default_top" default:"base"`
	// MasterTopsFirst puts what the tops of the master say before the top file. Default false.
	MasterTopsFirst bool `yaml:"master_tops_first" default:"false"`
	// LockSaltenv keeps runs and states from choosing another environment than saltenv.
	// Default false.
	LockSaltenv bool `yaml:"lock_saltenv" default:"false"`
	// Renderer is how SLS files without a #! line are rendered. Default jinja|yaml.
	Renderer string `yaml:"renderer" default:"jinja|yaml"`
	// JinjaEnv are options of Jinja for files that are no SLS. Default none.
	JinjaEnv map[string]any `yaml:"jinja_env"`
	// JinjaSlsEnv are options of Jinja for SLS. Default none.
	JinjaSlsEnv map[string]any `yaml:"jinja_sls_env"`
	// RenderMaxBytes bounds the memory of one rendering, in bytes: the values and texts of a
	// template, what it reads, and the data that comes of it. Ours. Default 268435456 (256 MiB).
	RenderMaxBytes int64 `yaml:"render_max_bytes" unit:"byte" default:"268435456" min:"16777216" max:"17179869184"`
	// RenderTimeout is how long one rendering may take, with the functions that it calls, in
	// seconds. Ours. Default 3600.
	RenderTimeout time.Duration `yaml:"render_timeout" unit:"s" default:"3600" min:"1" max:"86400"`
	// Failhard ends a run at the first state that fails. Default false.
	Failhard bool `yaml:"failhard" default:"false"`
	// StateAutoOrder runs states in the order of their definition. Default true.
	StateAutoOrder bool `yaml:"state_auto_order" default:"true"`
	// StateEvents sends an event for each state that has run. Default false.
	StateEvents bool `yaml:"state_events" default:"false"`
	// StateQueue lets a run of states wait for one under way: true all, a number so many. Default
	// false.
	StateQueue any `yaml:"state_queue" default:"false"`
	// StartupStates has states be run when the minion has its first master: those of sls_list
	// (sls), those of the top file top_file (top), or for any other text, such as highstate,
	// the highstate. Default none.
	StartupStates string `yaml:"startup_states"`
	// SlsList are the SLS files of startup_states: sls. Default none.
	SlsList []string `yaml:"sls_list"`
	// TopFile is the top file of startup_states: top. Default none.
	TopFile string `yaml:"top_file"`
	// DisabledRequisites are requisites that are ignored. Default none.
	DisabledRequisites []string `yaml:"disabled_requisites"`
}
