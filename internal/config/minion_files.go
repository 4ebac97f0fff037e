package config

import "time"

// MinionFiles says where a minion keeps what it keeps. All paths are placed
// under root_dir.
type MinionFiles struct {
	// PkiDir holds the minion's key pair and the master's key. Default /etc/salt/pki/minion.
	PkiDir string `yaml:"pki_dir" default:"/etc/salt/pki/minion"`
	// Cachedir holds running jobs and files. Default /var/cache/salt/minion.
	Cachedir string `yaml:"cachedir" default:"/var/cache/salt/minion"`
	// SockDir holds the local event sockets. Default /var/run/salt/minion.
	SockDir string `yaml:"sock_dir" default:"/var/run/salt/minion"`
	// LogFile is the log file, or a syslog URL. Default /var/log/salt/minion.
	LogFile string `yaml:"log_file" default:"/var/log/salt/minion"`
	// Pidfile holds the process id. Default /var/run/salt-minion.pid.
	Pidfile string `yaml:"pidfile" default:"/var/run/salt-minion.pid"`
	// AppendMinionidConfigDirs are the options (pki_dir, cachedir, pidfile)
	// whose path gets the minion id. Default none.
	AppendMinionidConfigDirs []string `yaml:"append_minionid_config_dirs" oneof:"pki_dir cachedir pidfile"`
	// LoopInterval is the time between rounds of housekeeping, in seconds.
	// Default 1.
	LoopInterval time.Duration `yaml:"loop_interval" unit:"s" default:"1" min:"0.01"`
	// Grains are grains set by the operator. Default none.
	Grains map[string]any `yaml:"grains"`
	// FileBufferSize is the size of one chunk of a sent file, in bytes.
	// Default 262144.
	FileBufferSize int `yaml:"file_buffer_size" unit:"byte" default:"262144" min:"1024"`
	// FileClient says where files come from: remote (the master) or local. Default remote.
	FileClient string `yaml:"file_client" default:"remote" oneof:"remote local"`
	// FileRoots maps environments to the folders of salt:// files on this host, for
	// file_client local and salt-call --local. Default base: /srv/salt.
	FileRoots map[string]any `yaml:"file_roots"`
	// FileserverFollowsymlinks serves the files of file_roots that links lead to outside of
	// their environment, with file_client local and salt-call --local. Default true.
	FileserverFollowsymlinks bool `yaml:"fileserver_followsymlinks" default:"true"`
}
