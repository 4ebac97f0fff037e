package config

import (
	"time"

	"github.com/momtree/mom/internal/bounds"
)

// Common holds the options that master and minion share, with the same defaults.
type Common struct {
	Show `yaml:",inline"`

	// User is the account that the daemon runs as. It also names the key file of local users of a
	// master. Default: the user who starts the program.
	User string `yaml:"user"`
	// RootDir is the directory below which pki_dir, cachedir, sock_dir, log files, process id files
	// and autosign files are. It does not affect content such as file_roots. Default on Windows: Salt's
	// folder there (docs/guide/windows.md).
	RootDir string `yaml:"root_dir" default:"/"`
	// ID is the name of this minion or master. Default: the file minion_id, else the host name; a
	// master appends `_master`.
	ID string `yaml:"id"`
	// AppendDomain is the domain that is appended, with a dot, to an id without it.
	AppendDomain string `yaml:"append_domain"`
	// MinionIdCaching controls whether the id is kept in the file `minion_id`.
	MinionIdCaching bool `yaml:"minion_id_caching" default:"true"`
	// MinionIdLowercase controls whether an id taken from the host name is converted to lower case.
	MinionIdLowercase bool `yaml:"minion_id_lowercase" default:"false"`
	// MinionIdRemoveDomain is the domain to remove from an id taken from the host name. With `true`,
	// the id ends at its first dot.
	MinionIdRemoveDomain string `yaml:"minion_id_remove_domain" type:"string or boolean"`
	// DefaultInclude is a list of globs of further configuration files, relative to the including
	// file. Default: `master.d/*.conf` or `minion.d/*.conf`.
	DefaultInclude []string `yaml:"default_include"`

	// Bounds is a map of internal limits and timers to override, such as `{commit_rows: 50}`, for
	// experiments. See docs/design/bounds.md. Not in Salt.
	Bounds bounds.Bounds `yaml:"bounds"`

	// HashType is the hash of fingerprints, served files, login tokens and job directories.
	HashType string `yaml:"hash_type" default:"sha256" oneof:"md5 sha1 sha224 sha256 sha384 sha512"`
	// Keysize is the length in bits of a new RSA key.
	Keysize int `yaml:"keysize" default:"2048" min:"2048" max:"16384"`
	// OpenMode controls whether keys are accepted without checks. Only `true`, `yes` and `on` enable
	// it.
	OpenMode bool `yaml:"open_mode" default:"false"`
	// FipsMode is not supported and must be `false`: Salt's protocol needs SHA-1 and X9.31.
	FipsMode bool `yaml:"fips_mode" default:"false"`

	// Transport is the protocol between peers. Only `zeromq` is supported.
	Transport string `yaml:"transport" default:"zeromq" oneof:"zeromq"`
	// Ipv6 controls whether the address of a master is looked up as IPv6, with IPv4 as fallback
	// (`true`), or as IPv4 only (`false`); when unset, either. With `true`, a master with `interface:
	// 0.0.0.0` listens on IPv4 and IPv6.
	Ipv6 *bool `yaml:"ipv6"`
	// ZmqFiltering controls whether a publication is sent only to the peers it targets. Master and
	// minion must agree.
	ZmqFiltering bool `yaml:"zmq_filtering" default:"false"`
	// TcpKeepalive controls whether TCP keep-alive is enabled.
	TcpKeepalive bool `yaml:"tcp_keepalive" default:"true"`
	// TcpKeepaliveIdle is the idle time before the first TCP keep-alive probe; `-1` for the system's
	// setting.
	TcpKeepaliveIdle time.Duration `yaml:"tcp_keepalive_idle" unit:"s" default:"300" min:"-1"`
	// TcpKeepaliveCnt is the number of lost TCP keep-alive probes that close a connection; `-1` for
	// the system's setting.
	TcpKeepaliveCnt int `yaml:"tcp_keepalive_cnt" default:"-1" min:"-1"`
	// TcpKeepaliveIntvl is the time between TCP keep-alive probes; `-1` for the system's setting.
	TcpKeepaliveIntvl time.Duration `yaml:"tcp_keepalive_intvl" unit:"s" default:"-1" min:"-1"`
	// IpcMode is the kind of the local event sockets: `ipc` for files in sock_dir, `tcp` for ports on
	// 127.0.0.1. Default on Windows: `tcp`.
	IpcMode string `yaml:"ipc_mode" default:"ipc" oneof:"ipc tcp"`
	// IpcFraming is the frame format of the local event sockets: `bare` (Salt until mid 2026),
	// `length` (3006.27 and later), or `auto`, which uses the version of each Salt program that
	// connects if it can be detected (on Linux), else `bare`. Not in Salt.
	IpcFraming string `yaml:"ipc_framing" default:"auto" oneof:"auto bare length"`
	// MaxEventSize is the size above which large values of an event are replaced by `VALUE_TRIMMED`.
	MaxEventSize int `yaml:"max_event_size" unit:"byte" default:"1048576" min:"1"`
	// EventMatchType is how listeners compare tags.
	EventMatchType string `yaml:"event_match_type" default:"startswith" oneof:"startswith endswith find regex fnmatch" unknown:"default"`

	// MetricsListen is the address, host:port, of `/metrics`, `/healthz` and `/readyz`, without
	// authentication. Use an address of this host, such as `127.0.0.1:9145`. A syndic node uses the
	// option of its file `master`. Not in Salt.
	MetricsListen string `yaml:"metrics_listen"`
	// DebugSocket controls whether profiles (net/http/pprof) and metrics are served to the daemon's
	// user on the socket `debug_master.ipc`, `debug_minion.ipc` or `debug_api.ipc` in sock_dir, for
	// `mom debug bundle` and `go tool pprof`. Not in Salt.
	DebugSocket bool `yaml:"debug_socket" default:"false"`
	// Metrics is a map that sends metrics to an OpenTelemetry collector, as in Salt 3008: `{enabled:
	// True, endpoint: "http://collector:4318/v1/metrics"}`. `{enabled: True, exporter: prometheus}` is
	// metrics_listen with another default address.
	Metrics map[string]any `yaml:"metrics"`
	// Tracing is a map that sends OpenTelemetry traces of jobs, as in Salt 3008: `{enabled: True,
	// endpoint: "http://collector:4318/v1/traces"}`.
	Tracing map[string]any `yaml:"tracing"`

	// LogLevel is the lowest level shown on the console.
	LogLevel string `yaml:"log_level" default:"warning" oneof:"all garbage trace debug profile info warning error critical quiet" unknown:"default"`
	// LogLevelLogfile is the lowest level written to log_file. Default: log_level.
	LogLevelLogfile string `yaml:"log_level_logfile" oneof:"all garbage trace debug profile info warning error critical quiet" unknown:"default"`

	// Nodegroups is a map of names to compound targets, each an expression or a list of words.
	Nodegroups map[string]any `yaml:"nodegroups"`

	// MaxFrameSize is the largest message that an authenticated peer may send. Not in Salt.
	MaxFrameSize int `yaml:"max_frame_size" unit:"byte" default:"67108864" min:"65536"`
	// FrameTimeout is the time in which a peer must complete a frame, before its connection is closed.
	// Not in Salt.
	FrameTimeout time.Duration `yaml:"frame_timeout" unit:"s" default:"30" min:"0.1"`
	// StallTimeout is the time after which a peer that does not read is disconnected. Not in Salt.
	StallTimeout time.Duration `yaml:"stall_timeout" unit:"s" default:"30" min:"0.1"`
}
