package config

import "time"

// MasterFiles says where a master keeps what it keeps. All paths are placed
// under root_dir.
type MasterFiles struct {
	// PkiDir holds the master's key pair and the minions' keys. Default /etc/salt/pki/master.
	PkiDir string `yaml:"pki_dir" default:"/etc/salt/pki/master"`
	// Cachedir holds jobs, minion data, local keys. Default /var/cache/salt/master.
	Cachedir string `yaml:"cachedir" default:"/var/cache/salt/master"`
	// SockDir holds the local event sockets. Default /var/run/salt/master.
	SockDir string `yaml:"sock_dir" default:"/var/run/salt/master"`
	// LogFile is the log file, or a syslog URL. Default /var/log/salt/master.
	LogFile string `yaml:"log_file" default:"/var/log/salt/master"`
	// Pidfile holds the process id. Default /var/run/salt-master.pid.
	Pidfile string `yaml:"pidfile" default:"/var/run/salt-master.pid"`
	// TokenDir holds login tokens, as in Salt whatever the file says. Computed: cachedir/tokens.
	TokenDir string `yaml:"token_dir"`
	// SyndicDir holds one file per known syndic, as in Salt whatever the file says. Computed: cachedir/syndics.
	SyndicDir string `yaml:"syndic_dir"`
	// JobStoreFile is the embedded job store and outbox. Ours.
	// Default cachedir/jobs.db.
	JobStoreFile string `yaml:"job_store_file"`
	// MaxOpenFiles is the number of open files the master asks the system for
	// at least; how many connections there may be follows from what it gets.
	// Default 100000.
	MaxOpenFiles int `yaml:"max_open_files" default:"100000" min:"256"`
	// LoopInterval is the time between rounds of maintenance (old jobs, presence
	// events), in seconds. Default 60.
	LoopInterval time.Duration `yaml:"loop_interval" unit:"s" default:"60" min:"0.1"`
	// MinionDataCache keeps grains and pillar of minions. Default true.
	MinionDataCache bool `yaml:"minion_data_cache" default:"true"`
	// EnforceMineCache keeps mine data even without minion_data_cache.
	// Default false.
	EnforceMineCache bool `yaml:"enforce_mine_cache" default:"false"`
	// MineMaxSize bounds what is kept of the mine of one minion, in bytes; more is refused.
	// Ours. Default 1048576.
	MineMaxSize int `yaml:"mine_max_size" unit:"byte" default:"1048576" min:"1024"`
	// GrainsMaxSize bounds what a minion says in a request for its pillar, its grains above
	// all, for the minion data cache to keep it, in bytes. Beyond it the cache keeps what it
	// has; the pillar is compiled all the same. Ours. Default 1048576.
	GrainsMaxSize int `yaml:"grains_max_size" unit:"byte" default:"1048576" min:"1024"`
	// Cache names the driver of the minion data cache; another than localfs is told at start, and
	// localfs used. Default localfs.
	Cache string `yaml:"cache" default:"localfs" oneof:"localfs" unknown:"default"`
	// PillarVersion is the form of pillar replies. Default 2.
	PillarVersion int `yaml:"pillar_version" default:"2" min:"2" max:"2"`
	// FileRecv lets minions push files into cachedir. Default false.
	FileRecv bool `yaml:"file_recv" default:"false"`
	// FileRecvMaxSize is the limit of one such file, in MiB. Default 100.
	FileRecvMaxSize int `yaml:"file_recv_max_size" default:"100" min:"1"`
	// FileBufferSize is the size of one chunk of a served file, in bytes.
	// Default 1048576.
	FileBufferSize int `yaml:"file_buffer_size" unit:"byte" default:"1048576" min:"1024"`
}
