package config

import "time"

// MasterJobs holds how jobs are followed, kept and shown.
type MasterJobs struct {
	// UniqueJid appends the process id to job ids. Default false.
	UniqueJid bool `yaml:"unique_jid" default:"false"`
	// Timeout is how long a tool waits before it asks after silent minions,
	// in seconds. Default 5.
	Timeout time.Duration `yaml:"timeout" unit:"s" default:"5" min:"0"`
	// GatherJobTimeout is how long it waits for that answer, in seconds.
	// Default 10.
	GatherJobTimeout time.Duration `yaml:"gather_job_timeout" unit:"s" default:"10" min:"0"`
	// ShowTimeout names minions that did not return. Default true.
	ShowTimeout bool `yaml:"show_timeout" default:"true"`
	// ShowJid prints the job id. Default false.
	ShowJid bool `yaml:"show_jid" default:"false"`
	// CliSummary prints a summary after each job. Default false.
	CliSummary bool `yaml:"cli_summary" default:"false"`
	// BatchSafeLimit makes the command salt run a job as a batch if its target matches
	// this many minions or more; 0 and 1 never do. Default 0.
	BatchSafeLimit int `yaml:"batch_safe_limit" default:"0" min:"0"`
	// BatchSafeSize is the size of such a batch: a number of minions or a percentage.
	// Default 8.
	BatchSafeSize string `yaml:"batch_safe_size" default:"8"`
	// SaltCpChunkSize is how much of a file salt-cp gives to one job, in bytes. Default 98304.
	SaltCpChunkSize int `yaml:"salt_cp_chunk_size" unit:"byte" default:"98304" min:"1" max:"16777216"`
	// JobCache keeps results. Without it a return leaves a mark alone, so that
	// a repeat is recognised; what is owed to a master above is not touched.
	// Default true.
	JobCache bool `yaml:"job_cache" default:"true"`
	// KeepJobsSeconds is how long jobs are kept, in seconds; 0 for ever. The time counts in
	// which the master ran, and an hour at most for each restart; jobs that are open or
	// queued stay.
	// Default 86400.
	KeepJobsSeconds time.Duration `yaml:"keep_jobs_seconds" unit:"s" default:"86400" min:"0"`
	// KeepJobs is the older name, in hours, used when keep_jobs_seconds is
	// not set. Default 24.
	KeepJobs time.Duration `yaml:"keep_jobs" unit:"h" default:"24" min:"0"`
	// MasterJobCache names where jobs are kept: local_cache is the embedded
	// store, mysql a database. Default local_cache.
	MasterJobCache string `yaml:"master_job_cache" default:"local_cache" oneof:"local_cache mysql" stores:"too"`
	// ExtJobCache names a returner that keeps returns instead. Default none.
	ExtJobCache string `yaml:"ext_job_cache" oneof:"local_cache mysql" stores:"too"`
	// RunnerReturns says which calls of runners go into the job cache: true all, as in
	// Salt, false none. Without it those that change something, that take a second or
	// more, or for which nobody waits. Default none.
	RunnerReturns *bool `yaml:"runner_returns"`
	// JobCacheFiles lays the load of each job into cachedir/jobs, where Salt's
	// own command salt and LocalClient on this host look for it. Without
	// effect beside a database. Ours. Default true.
	JobCacheFiles bool `yaml:"job_cache_files" default:"true"`
	// JobCacheReturns lays returns there as well, as Salt's local_cache does: for scripts on
	// this host that use LocalClient.get_cache_returns or read cachedir/jobs. It takes a
	// folder and a file for each minion of each job. Without effect beside a database and
	// without job_cache_files. Ours. Default false.
	JobCacheReturns bool `yaml:"job_cache_returns" default:"false"`
	// MaskJobArgs masks values that sound like secrets in the arguments of jobs, in the job
	// cache and in events; minions get them as they are. Ours. Default true.
	MaskJobArgs bool `yaml:"mask_job_args" default:"true"`
	// JobCacheStoreEndtime stores when a job ended. Default false.
	JobCacheStoreEndtime bool `yaml:"job_cache_store_endtime" default:"false"`
	// ArchiveJobs copies old rows to archive tables before they are
	// deleted. Default false.
	ArchiveJobs bool `yaml:"archive_jobs" default:"false"`
	// OutboxMaxRows is the number of messages that may wait for one
	// destination (the parent, a database); above it new work is refused,
	// nothing is lost: minions keep what they could not return. Ours. Default 10000000.
	OutboxMaxRows int `yaml:"outbox_max_rows" default:"10000000" min:"10"`
	// OutboxMaxBytes is the same in bytes. Ours. Default 8589934592 (8 GiB).
	OutboxMaxBytes int64 `yaml:"outbox_max_bytes" unit:"byte" default:"8589934592" min:"1048576"`
	// MinionReturnsMaxBytes bounds the returns of one minion within 24 hours that no job open
	// at this master waits for, such as those of schedules and salt-call, in bytes. More are
	// answered and not stored. 0: no bound. Ours. Default 134217728 (128 MiB).
	MinionReturnsMaxBytes int64 `yaml:"minion_returns_max_bytes" unit:"byte" default:"134217728" min:"0" max:"1099511627776"`
	// PublishRetention is how long a publication is kept for minions and nodes
	// that missed it: they are given it when they are back, unless the job is
	// over. 0 keeps none; jobs published with a queue are kept until their
	// deadline all the same. In seconds. Ours. Default 300.
	PublishRetention time.Duration `yaml:"publish_retention" unit:"s" default:"300" min:"0"`
	// PublishRetentionMaxBytes bounds all kept publications together, in bytes. Beyond it
	// the oldest is dropped, and a new queued job is refused when those that are
	// queued fill it. Ours. Default 67108864 (64 MiB).
	PublishRetentionMaxBytes int64 `yaml:"publish_retention_max_bytes" unit:"byte" default:"67108864" min:"65536"`
}
