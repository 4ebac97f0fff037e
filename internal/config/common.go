package config

import (
	"time"

	"github.com/momtree/mom/internal/bounds"
)

// Common holds the options that master and minion share with one default.
type Common struct {
	Show `yaml:",inline"`

	// User is the account the daemon runs as; it also names the local key
	// file of a master. Default: the user who starts the program.
	User string `yaml:"user"`
	// RootDir is put before every path below. Default /.
	RootDir string `yaml:"root_dir" default:"/"`
	// ID is the name of this minion or master. Default: the file minion_id,
	// else the host name; a master appends _master to what was guessed.
	ID string `yaml:"id"`
	// AppendDomain is appended with a dot to an id that lacks it. Default none.
	AppendDomain string `yaml:"append_domain"`
	// MinionIdCaching reads and writes the file minion_id. Default true.
	MinionIdCaching bool `yaml:"minion_id_caching" default:"true"`
	// MinionIdLowercase lowers a guessed id. Default false.
	MinionIdLowercase bool `yaml:"minion_id_lowercase" default:"false"`
	// MinionIdRemoveDomain cuts a guessed id at its first dot (true), or cuts
	// this very domain off (text). Default false, kept as "".
	MinionIdRemoveDomain string `yaml:"minion_id_remove_domain"`
	// DefaultInclude are globs of further files, relative to the folder of
	// the including file. Default master.d/*.conf or minion.d/*.conf.
	DefaultInclude []string `yaml:"default_include"`

	// Bounds sets bounds and timers inside the daemon by name, such as {commit_rows:
	// 50}. It is for experiments; docs/design/bounds.md says what each protects.
	// Ours. Default none.
	Bounds bounds.Bounds `yaml:"bounds"`

	// HashType names the hash of fingerprints and of job folders. Default sha256.
	HashType string `yaml:"hash_type" default:"sha256" oneof:"md5 sha1 sha224 sha256 sha384 sha512"`
	// Keysize is the length of a new RSA key in bits. Default 2048.
	Keysize int `yaml:"keysize" default:"2048" min:"2048" max:"16384"`
	// OpenMode turns key checks off; only the word true (yes, on) turns it
	// on. Default false.
	OpenMode bool `yaml:"open_mode" default:"false"`
	// FipsMode would restrict algorithms to those of FIPS 140. It is refused:
	// peers choose SHA-1 and X9.31 by Salt's protocol. Default false.
	FipsMode bool `yaml:"fips_mode" default:"false"`

	// Transport is how peers talk. Only zeromq is spoken. Default zeromq.
	Transport string `yaml:"transport" default:"zeromq" oneof:"zeromq"`
	// Ipv6 says which addresses of a master are taken: true IPv6 where there are
	// any, false IPv4 alone, none either. With true, a master whose interface is
	// 0.0.0.0 listens on all addresses of both kinds. Default none.
	Ipv6 *bool `yaml:"ipv6"`
	// ZmqFiltering sends a publication only to the peers it is meant for;
	// both sides have to agree. Default false.
	ZmqFiltering bool `yaml:"zmq_filtering" default:"false"`
	// TcpKeepalive turns TCP keep-alive on. Default true.
	TcpKeepalive bool `yaml:"tcp_keepalive" default:"true"`
	// TcpKeepaliveIdle is the silence before the first probe, in seconds;
	// -1 leaves it to the system. Default 300.
	TcpKeepaliveIdle time.Duration `yaml:"tcp_keepalive_idle" unit:"s" default:"300" min:"-1"`
	// TcpKeepaliveCnt is the number of lost probes that end a connection;
	// -1 leaves it to the system. Default -1.
	TcpKeepaliveCnt int `yaml:"tcp_keepalive_cnt" default:"-1" min:"-1"`
	// TcpKeepaliveIntvl is the time between probes, in seconds; -1 leaves it
	// to the system. Default -1.
	TcpKeepaliveIntvl time.Duration `yaml:"tcp_keepalive_intvl" unit:"s" default:"-1" min:"-1"`
	// IpcMode is how the local event sockets are bound: ipc (files in
	// sock_dir) or tcp (ports on 127.0.0.1). Default ipc.
	IpcMode string `yaml:"ipc_mode" default:"ipc" oneof:"ipc tcp"`
	// IpcFraming is the frame form of the local event sockets: bare (Salt to mid
	// 2026), length (3006.27 and newer ones of 3006), or auto: each program of
	// Salt's that reads them gets the form that its own version wants, where that
	// can be seen (Linux, and its process may be looked at), else bare. Ours.
	// Default auto.
	IpcFraming string `yaml:"ipc_framing" default:"auto" oneof:"auto bare length"`
	// MaxEventSize is the size in bytes above which the big values of an
	// event are replaced by VALUE_TRIMMED. Default 1048576.
	MaxEventSize int `yaml:"max_event_size" unit:"byte" default:"1048576" min:"1"`
	// EventMatchType is how listeners compare tags. Default startswith.
	EventMatchType string `yaml:"event_match_type" default:"startswith" oneof:"startswith endswith find regex fnmatch" unknown:"default"`

	// MetricsListen is where Prometheus and health checks may ask, host:port:
	// /metrics, /healthz, /readyz. Whoever reaches it may read it, so give it an
	// address of this host, such as 127.0.0.1:9145. A syndic node takes that of
	// the master file. Ours. Default none: nothing listens.
	MetricsListen string `yaml:"metrics_listen"`
	// DebugSocket serves Go's profiles (net/http/pprof) and the metrics to the daemon's own
	// user on a socket in sock_dir, debug_master.ipc, debug_minion.ipc or debug_api.ipc, for
	// mom debug bundle and go tool pprof. Ours. Default false.
	DebugSocket bool `yaml:"debug_socket" default:"false"`
	// Metrics sends the metrics to an OpenTelemetry collector, as in Salt 3008: {enabled: True,
	// endpoint: "http://collector:4318/v1/metrics"}; {enabled: True, exporter: prometheus} is
	// metrics_listen with another default address. Default none.
	Metrics map[string]any `yaml:"metrics"`
	// Tracing sends OpenTelemetry traces of jobs, as in Salt 3008: {enabled: True, endpoint:
	// "http://collector:4318/v1/traces"}. Default none: tracing is off.
	Tracing map[string]any `yaml:"tracing"`

	// LogLevel is the least level shown on the console. Default warning.
	LogLevel string `yaml:"log_level" default:"warning" oneof:"all garbage trace debug profile info warning error critical quiet" unknown:"default"`
	// LogLevelLogfile is the least level written to log_file. Default: log_level.
	LogLevelLogfile string `yaml:"log_level_logfile" oneof:"all garbage trace debug profile info warning error critical quiet" unknown:"default"`

	// Nodegroups names compound targets: {name: expression or list of words}.
	// Default none.
	Nodegroups map[string]any `yaml:"nodegroups"`

	// MaxFrameSize is the largest message in bytes that an authenticated
	// peer may send. Ours. Default 67108864 (64 MiB).
	MaxFrameSize int `yaml:"max_frame_size" unit:"byte" default:"67108864" min:"65536"`
	// FrameTimeout is the time a peer has to finish a frame it began, in
	// seconds. Ours. Default 30.
	FrameTimeout time.Duration `yaml:"frame_timeout" unit:"s" default:"30" min:"0.1"`
	// StallTimeout is the time a peer may refuse to read what it is sent
	// before it is cut off, in seconds. Ours. Default 30.
	StallTimeout time.Duration `yaml:"stall_timeout" unit:"s" default:"30" min:"0.1"`
}
