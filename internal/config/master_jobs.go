package config

import "time"

// MasterJobs holds how jobs are waited for, stored and repeated.
type MasterJobs struct {
	// UniqueJid controls whether job ids end with the process id.
	UniqueJid bool `yaml:"unique_jid" default:"false"`
	// Timeout is the time after which a command asks silent minions whether they still run the job.
	Timeout time.Duration `yaml:"timeout" unit:"s" default:"5" min:"0"`
	// GatherJobTimeout is the time for which a command waits for the answer of silent minions.
	GatherJobTimeout time.Duration `yaml:"gather_job_timeout" unit:"s" default:"10" min:"0"`
	// ShowTimeout controls whether commands list minions that did not return.
	ShowTimeout bool `yaml:"show_timeout" default:"true"`
	// ShowJid controls whether commands print the job id.
	ShowJid bool `yaml:"show_jid" default:"false"`
	// CliSummary controls whether commands print a summary of each job.
	CliSummary bool `yaml:"cli_summary" default:"false"`
	// BatchSafeLimit is the number of minions from which `salt` runs a job as a batch; `0` and `1`
	// disable it.
	BatchSafeLimit int `yaml:"batch_safe_limit" default:"0" min:"0"`
	// BatchSafeSize is the batch size with batch_safe_limit: a number of minions or a percentage.
	BatchSafeSize string `yaml:"batch_safe_size" type:"integer or percentage" default:"8"`
	// SaltCpChunkSize is the part of a file that `salt-cp` sends in one job.
	SaltCpChunkSize int `yaml:"salt_cp_chunk_size" unit:"byte" default:"98304" min:"1" max:"16777216"`
	// JobCache controls whether results are stored. Otherwise only a mark per return is, to recognize
	// duplicates. Returns to the master above are not affected.
	JobCache bool `yaml:"job_cache" default:"true"`
	// KeepJobsSeconds is the time for which jobs are stored; `0` for no limit. Downtime counts as one
	// hour at most per restart. Open and queued jobs are kept.
	KeepJobsSeconds time.Duration `yaml:"keep_jobs_seconds" unit:"s" default:"86400" min:"0"`
	// KeepJobs is the time for which jobs are stored, if keep_jobs_seconds is not set.
	KeepJobs time.Duration `yaml:"keep_jobs" unit:"h" default:"24" min:"0"`
	// MasterJobCache is the job store: `local_cache` (embedded), `mysql`, `pgjsonb`
	// or `postgres` (docs/guide/deploy/postgres.md), or `redis` (docs/guide/deploy/redis.md).
	MasterJobCache string `yaml:"master_job_cache" default:"local_cache" oneof:"local_cache mysql pgjsonb postgres redis" returners:"jobs"`
	// ExtJobCache is a returner that stores returns instead of master_job_cache.
	ExtJobCache string `yaml:"ext_job_cache" oneof:"local_cache mysql pgjsonb postgres redis" returners:"jobs"`
	// RunnerReturns controls whether the job cache has all runner calls (`true`, as in Salt) or none
	// (`false`). When unset, it has those that change something, take a second or longer, or have no
	// waiting caller.
	RunnerReturns *bool `yaml:"runner_returns"`
	// JobCacheFiles controls whether the load of each job is also written to `cachedir/jobs`, for
	// Salt's own command `salt` and `LocalClient` on this host. It has no effect with a database. Not
	// in Salt.
	JobCacheFiles bool `yaml:"job_cache_files" default:"true"`
	// JobCacheReturns controls whether returns are also written to `cachedir/jobs`, for scripts that
	// read it or use `LocalClient.get_cache_returns`. Each takes a directory and a file. It needs
	// job_cache_files. Not in Salt.
	JobCacheReturns bool `yaml:"job_cache_returns" default:"false"`
	// MaskJobArgs controls whether values of job arguments that are named like secrets are masked in
	// the job cache and in events. Minions get them unmasked. Not in Salt.
	MaskJobArgs bool `yaml:"mask_job_args" default:"true"`
	// JobCacheStoreEndtime controls whether the end time of a job is stored.
	JobCacheStoreEndtime bool `yaml:"job_cache_store_endtime" default:"false"`
	// ArchiveJobs controls whether old rows are copied to archive tables before deletion.
	ArchiveJobs bool `yaml:"archive_jobs" default:"false"`
	// OutboxMaxRows is the number of messages that may wait for one destination (the master above, a
	// database). At the limit returns are refused; minions keep and resend them. Not in Salt.
	OutboxMaxRows int `yaml:"outbox_max_rows" default:"10000000" min:"10"`
	// OutboxMaxBytes is the number of bytes that may wait for one destination, as with
	// outbox_max_rows. Not in Salt.
	OutboxMaxBytes int64 `yaml:"outbox_max_bytes" unit:"byte" default:"8589934592" min:"1048576"`
	// MinionReturnsMaxBytes is the limit per minion and 24 hours for returns that no open job expects,
	// such as those of schedules and `salt-call`; `0` for no limit. Further ones are acknowledged and
	// dropped. Not in Salt.
	MinionReturnsMaxBytes int64 `yaml:"minion_returns_max_bytes" unit:"byte" default:"134217728" min:"0" max:"1099511627776"`
	// PublishRetention is the time for which publications are kept for minions and nodes that missed
	// them, while the job is open; `0` for none. Queued jobs are kept until their deadline. Not in
	// Salt.
	PublishRetention time.Duration `yaml:"publish_retention" unit:"s" default:"300" min:"0"`
	// PublishRetentionMaxBytes is the limit for all kept publications. At the limit the oldest is
	// dropped; if queued jobs fill it, new queued jobs are refused. Not in Salt.
	PublishRetentionMaxBytes int64 `yaml:"publish_retention_max_bytes" unit:"byte" default:"67108864" min:"65536"`
}
