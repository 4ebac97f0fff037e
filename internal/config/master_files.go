package config

import "time"

// MasterFiles holds paths, caches and their limits. All paths are below root_dir.
type MasterFiles struct {
	// PkiDir is the directory of the master's key pair and the minions' keys.
	PkiDir string `yaml:"pki_dir" default:"/etc/salt/pki/master"`
	// Cachedir is the directory of jobs, minion data and local keys.
	Cachedir string `yaml:"cachedir" default:"/var/cache/salt/master"`
	// SockDir is the directory of the local event sockets.
	SockDir string `yaml:"sock_dir" default:"/var/run/salt/master"`
	// LogFile is the log file, or a syslog URL.
	LogFile string `yaml:"log_file" default:"/var/log/salt/master"`
	// Pidfile is the file with the process id.
	Pidfile string `yaml:"pidfile" default:"/var/run/salt-master.pid"`
	// TokenDir is the directory of login tokens. As in Salt, the value in the file has no effect.
	// Default: `cachedir/tokens`.
	TokenDir string `yaml:"token_dir"`
	// SyndicDir is the directory with one file per known syndic. As in Salt, the value in the file has
	// no effect. Default: `cachedir/syndics`.
	SyndicDir string `yaml:"syndic_dir"`
	// JobStoreFile is the file of the embedded job store and outbox. Not in Salt. Default:
	// `cachedir/jobs.db`.
	JobStoreFile string `yaml:"job_store_file"`
	// MaxOpenFiles is the number of open files that the master requests from the system. The number it
	// gets limits the connections.
	MaxOpenFiles int `yaml:"max_open_files" default:"100000" min:"256"`
	// LoopInterval is the time between maintenance runs (old jobs, presence events).
	LoopInterval time.Duration `yaml:"loop_interval" unit:"s" default:"60" min:"0.1"`
	// MinionDataCache controls whether grains and pillar of minions are cached.
	MinionDataCache bool `yaml:"minion_data_cache" default:"true"`
	// EnforceMineCache controls whether mine data is kept without minion_data_cache.
	EnforceMineCache bool `yaml:"enforce_mine_cache" default:"false"`
	// MineMaxSize is the limit for the mine of one minion; more is refused. Not in Salt.
	MineMaxSize int `yaml:"mine_max_size" unit:"byte" default:"1048576" min:"1024"`
	// GrainsMaxSize is the limit for a minion's pillar request, mainly its grains, to be cached. A
	// larger one gets its pillar, but the cache keeps the previous data. Not in Salt.
	GrainsMaxSize int `yaml:"grains_max_size" unit:"byte" default:"1048576" min:"1024"`
	// Cache is the driver of the minion data cache: `localfs`, or `redis` (docs/guide/deploy/redis.md). Any other value is
	// logged and ignored.
	Cache string `yaml:"cache" default:"localfs" oneof:"localfs redis" unknown:"default"`
	// PillarVersion is the format of pillar replies. Only `2` is supported.
	PillarVersion int `yaml:"pillar_version" default:"2" min:"2" max:"2"`
	// FileRecv controls whether minions may push files into cachedir.
	FileRecv bool `yaml:"file_recv" default:"false"`
	// FileRecvMaxSize is the limit for one pushed file.
	FileRecvMaxSize int `yaml:"file_recv_max_size" unit:"MiB" default:"100" min:"1"`
	// FileBufferSize is the chunk size of a served file.
	FileBufferSize int `yaml:"file_buffer_size" unit:"byte" default:"1048576" min:"1024"`
}
