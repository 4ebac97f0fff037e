package config

import "time"

// MinionJobs holds how a minion runs jobs and returns results.
type MinionJobs struct {
	// ReturnRetryTimer is the shortest wait for the answer to a return.
	ReturnRetryTimer time.Duration `yaml:"return_retry_timer" unit:"s" default:"5" min:"0.1"`
	// ReturnRetryTimerMax is the longest wait for the answer to a return.
	ReturnRetryTimerMax time.Duration `yaml:"return_retry_timer_max" unit:"s" default:"10" min:"0"`
	// ReturnRetryTries is the number of attempts for a return.
	ReturnRetryTries int `yaml:"return_retry_tries" default:"3" min:"1"`
	// PubRet controls whether results of jobs are returned to the master.
	PubRet bool `yaml:"pub_ret" default:"true"`
	// CacheJobs controls whether results are kept on the minion.
	CacheJobs bool `yaml:"cache_jobs" default:"false"`
	// MinionJidQueueHwm is the number of jobs whose returns are remembered, for a second master that sends the same job.
	MinionJidQueueHwm int `yaml:"minion_jid_queue_hwm" default:"100" min:"1"`
	// ProcessCountMax is the number of simultaneous jobs; `-1` for no limit.
	ProcessCountMax int `yaml:"process_count_max" default:"-1" min:"-1"`
	// MultifuncOrdered controls whether jobs of several functions return lists.
	MultifuncOrdered bool `yaml:"multifunc_ordered" default:"false"`
	// DisableModules is a list of execution modules to disable.
	DisableModules []string `yaml:"disable_modules"`
	// WhitelistModules is a list of the only modules to enable. Default: all.
	WhitelistModules []string `yaml:"whitelist_modules"`
	// MineEnabled controls whether mine data is sent to the master.
	MineEnabled bool `yaml:"mine_enabled" default:"true"`
	// MineInterval is the time between updates of the mine; `0` sends it at the start only.
	MineInterval time.Duration `yaml:"mine_interval" unit:"min" default:"60" min:"0"`
	// MineFunctions is a map of the functions whose results are sent.
	MineFunctions map[string]any `yaml:"mine_functions"`
	// MineReturnJob controls whether the update of the mine is also returned and stored as a job.
	MineReturnJob bool `yaml:"mine_return_job" default:"false"`
	// Schedule is a map of scheduled jobs, see docs/guide/schedule.md.
	Schedule map[string]any `yaml:"schedule"`
	// SchedulerBeforeConnect controls whether scheduled jobs also run before a master has accepted the
	// minion.
	SchedulerBeforeConnect bool `yaml:"scheduler_before_connect" default:"false"`
	// ScheduleReturner is a list of returners for the results of all scheduled jobs.
	ScheduleReturner []string `yaml:"schedule_returner"`
	// EnableLegacyStartupEvents controls whether `minion_start` is fired too.
	EnableLegacyStartupEvents bool `yaml:"enable_legacy_startup_events" default:"true"`
	// StartEventGrains is a list of the grains sent with the start event.
	StartEventGrains []string `yaml:"start_event_grains"`
	// GrainsRefreshEvery is the time between updates of the grains; `0` for none.
	GrainsRefreshEvery time.Duration `yaml:"grains_refresh_every" unit:"min" default:"0" min:"0"`
	// EnableFqdnsGrains controls whether the grain `fqdns` has the names of all addresses of the host.
	// Otherwise it is empty.
	EnableFqdnsGrains bool `yaml:"enable_fqdns_grains" default:"false"`
	// Test controls whether states only report what they would change.
	Test bool `yaml:"test" default:"false"`
}
