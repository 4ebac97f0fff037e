package config

import "time"

// MinionFiles holds paths, grains and local files. All paths are below root_dir.
type MinionFiles struct {
	// PkiDir is the directory of the minion's key pair and the master's key.
	PkiDir string `yaml:"pki_dir" default:"/etc/salt/pki/minion"`
	// Cachedir is the directory of running jobs and cached files.
	Cachedir string `yaml:"cachedir" default:"/var/cache/salt/minion"`
	// SockDir is the directory of the local event sockets.
	SockDir string `yaml:"sock_dir" default:"/var/run/salt/minion"`
	// LogFile is the log file, or a syslog URL.
	LogFile string `yaml:"log_file" default:"/var/log/salt/minion"`
	// Pidfile is the file with the process id.
	Pidfile string `yaml:"pidfile" default:"/var/run/salt-minion.pid"`
	// AppendMinionidConfigDirs is a list of the options whose path gets the minion id: `pki_dir`,
	// `cachedir`, `pidfile`.
	AppendMinionidConfigDirs []string `yaml:"append_minionid_config_dirs" oneof:"pki_dir cachedir pidfile"`
	// LoopInterval is the time between checks of the schedule.
	LoopInterval time.Duration `yaml:"loop_interval" unit:"s" default:"1" min:"0.01"`
	// Grains is a map of custom grains.
	Grains map[string]any `yaml:"grains"`
	// FileBufferSize is the chunk size of a sent file.
	FileBufferSize int `yaml:"file_buffer_size" unit:"byte" default:"262144" min:"1024"`
	// FileClient is the source of files: the master (`remote`) or this host (`local`).
	FileClient string `yaml:"file_client" default:"remote" oneof:"remote local"`
	// FileRoots is a map of environments to their directories on this host, for `file_client: local`
	// and `salt-call --local`. Default: `{base: [/srv/salt]}`.
	FileRoots map[string]any `yaml:"file_roots"`
	// FileserverFollowsymlinks controls whether links in file_roots may lead out of their environment,
	// with `file_client: local` and `salt-call --local`.
	FileserverFollowsymlinks bool `yaml:"fileserver_followsymlinks" default:"true"`
}
