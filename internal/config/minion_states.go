package config

import "time"

// MinionStates holds how a minion collects and runs states. With a master, the master's
// options of the same names count for collecting (state_top, state_top_saltenv, renderer, failhard,
// state_auto_order, top_file_merging_strategy, env_order, default_top, jinja_env,
// jinja_sls_env); these are for file_client local and salt-call --local.
type MinionStates struct {
	// StateTop is the path of the top file.
	StateTop string `yaml:"state_top" default:"top.sls"`
	// StateTopSaltenv is the only environment whose top file is read. Default: all.
	StateTopSaltenv string `yaml:"state_top_saltenv"`
	// TopFileMergingStrategy is how the top files of several environments are merged.
	TopFileMergingStrategy string `yaml:"top_file_merging_strategy" default:"merge" oneof:"merge same merge_all" unknown:"default"`
	// EnvOrder is a list of the environments in their order. Default: as in file_roots.
	EnvOrder []string `yaml:"env_order"`
	// DefaultTop is the environment whose top file applies to environments without one, with `same`.
	DefaultTop string `yaml:"default_top" default:"base"`
	// MasterTopsFirst controls whether states of master_tops come before those of the top file.
	MasterTopsFirst bool `yaml:"master_tops_first" default:"false"`
	// LockSaltenv controls whether runs and states are restricted to the environment in saltenv.
	LockSaltenv bool `yaml:"lock_saltenv" default:"false"`
	// Renderer is the render pipe of SLS files without a `#!` line.
	Renderer string `yaml:"renderer" default:"jinja|yaml"`
	// JinjaEnv is a map of Jinja options for templates other than SLS files.
	JinjaEnv map[string]any `yaml:"jinja_env"`
	// JinjaSlsEnv is a map of Jinja options for SLS files.
	JinjaSlsEnv map[string]any `yaml:"jinja_sls_env"`
	// RenderMaxBytes is the memory limit of one rendering: values and texts of the template, what it
	// reads, and the resulting data. Not in Salt.
	RenderMaxBytes int64 `yaml:"render_max_bytes" unit:"byte" default:"268435456" min:"16777216" max:"17179869184"`
	// RenderTimeout is the time limit for one rendering with the functions it calls. Not in Salt.
	RenderTimeout time.Duration `yaml:"render_timeout" unit:"s" default:"3600" min:"1" max:"86400"`
	// Failhard controls whether a run ends at the first failed state.
	Failhard bool `yaml:"failhard" default:"false"`
	// StateAutoOrder controls whether states run in the order in which they are written.
	StateAutoOrder bool `yaml:"state_auto_order" default:"true"`
	// StateEvents controls whether an event is sent per state.
	StateEvents bool `yaml:"state_events" default:"false"`
	// StateQueue controls whether a state run waits for one in progress: `true`, or the number of runs
	// that may wait.
	StateQueue any `yaml:"state_queue" type:"boolean or integer" default:"false"`
	// StartupStates is the state run at the first connection to a master: `sls` runs sls_list, `top`
	// the top file top_file, any other text, such as `highstate`, the highstate.
	StartupStates string `yaml:"startup_states"`
	// SlsList is the list of SLS files for `startup_states: sls`.
	SlsList []string `yaml:"sls_list"`
	// TopFile is the top file for `startup_states: top`.
	TopFile string `yaml:"top_file"`
	// DisabledRequisites is a list of requisites to ignore.
	DisabledRequisites []string `yaml:"disabled_requisites"`
}
