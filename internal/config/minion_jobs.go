package config

import "time"

// MinionJobs says how a minion runs jobs and returns.
type MinionJobs struct {
	// ReturnRetryTimer is the shortest wait for the answer to a return, in
	// seconds. Default 5.
	ReturnRetryTimer time.Duration `yaml:"return_retry_timer" unit:"s" default:"5" min:"0.1"`
	// ReturnRetryTimerMax is the longest, in seconds. Default 10.
	ReturnRetryTimerMax time.Duration `yaml:"return_retry_timer_max" unit:"s" default:"10" min:"0"`
	// ReturnRetryTries is the number of tries of a return. Default 3.
	ReturnRetryTries int `yaml:"return_retry_tries" default:"3" min:"1"`
	// PubRet returns the results of jobs to the master. Default true.
	PubRet bool `yaml:"pub_ret" default:"true"`
	// CacheJobs keeps results on the minion. Default false.
	CacheJobs bool `yaml:"cache_jobs" default:"false"`
	// MinionJidQueueHwm is the number of job ids remembered as run. Default 100.
	MinionJidQueueHwm int `yaml:"minion_jid_queue_hwm" default:"100" min:"1"`
	// ProcessCountMax is the number of jobs run at once; -1 means no limit. Default -1.
	ProcessCountMax int `yaml:"process_count_max" default:"-1" min:"-1"`
	// MultifuncOrdered returns lists for jobs of several functions. Default false.
	MultifuncOrdered bool `yaml:"multifunc_ordered" default:"false"`
	// DisableModules are execution modules that are not offered. Default none.
	DisableModules []string `yaml:"disable_modules"`
	// WhitelistModules are the only ones offered. Default none: all.
	WhitelistModules []string `yaml:"whitelist_modules"`
	// MineEnabled sends mine data to the master. Default true.
	MineEnabled bool `yaml:"mine_enabled" default:"true"`
	// MineInterval is the time between them, in minutes; with 0 the mine is sent at the start
	// alone. Default 60.
	MineInterval time.Duration `yaml:"mine_interval" unit:"min" default:"60" min:"0"`
	// MineFunctions are the functions whose results are sent. Default none.
	MineFunctions map[string]any `yaml:"mine_functions"`
	// MineReturnJob returns the job by which mine data are sent to the master as well, which
	// stores it. Default false.
	MineReturnJob bool `yaml:"mine_return_job" default:"false"`
	// Schedule holds jobs that the minion runs by the clock, see schedule.md. Default none.
	Schedule map[string]any `yaml:"schedule"`
	// SchedulerBeforeConnect runs them also before a master has taken the minion. Default false.
	SchedulerBeforeConnect bool `yaml:"scheduler_before_connect" default:"false"`
	// ScheduleReturner are returners that get the results of all of them. Default none.
	ScheduleReturner []string `yaml:"schedule_returner"`
	// EnableLegacyStartupEvents fires minion_start also. Default true.
	EnableLegacyStartupEvents bool `yaml:"enable_legacy_startup_events" default:"true"`
	// StartEventGrains are the grains sent with the start event. Default none.
	StartEventGrains []string `yaml:"start_event_grains"`
	// GrainsRefreshEvery is the time between looks at the grains, in
	// minutes; 0 never looks again. Default 0.
	GrainsRefreshEvery time.Duration `yaml:"grains_refresh_every" unit:"min" default:"0" min:"0"`
	// EnableFqdnsGrains looks up the names of all addresses of the host for the grain fqdns,
	// which is empty otherwise. Default false.
	EnableFqdnsGrains bool `yaml:"enable_fqdns_grains" default:"false"`
	// Test makes states only tell what they would do. Default false.
	Test bool `yaml:"test" default:"false"`
}
