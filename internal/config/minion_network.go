package config

import "time"

// MinionNetwork holds how a minion connects to its master.
type MinionNetwork struct {
	// Master is a list of masters: names or addresses, optionally host:port.
	Master []string `yaml:"master" default:"salt"`
	// MasterPort is the port for requests to the masters, their ret_port.
	MasterPort int `yaml:"master_port" default:"4506" min:"1" max:"65535"`
	// PublishPort is the publish_port of the masters; `0` (or 4506, as in Salt) means what the master
	// reports.
	PublishPort int `yaml:"publish_port" default:"0" min:"0" max:"65535"`
	// MasterType is the use of several masters: `str` connects to each, `failover` to the first that
	// answers, `disable` to none.
	MasterType string `yaml:"master_type" default:"str" oneof:"str failover disable"`
	// MasterAliveInterval is the time between checks of the master with `failover`; `0` for none.
	MasterAliveInterval time.Duration `yaml:"master_alive_interval" unit:"s" default:"0" min:"0"`
	// MasterFailback controls whether the minion returns to the first master when it is back.
	MasterFailback bool `yaml:"master_failback" default:"false"`
	// MasterFailbackInterval is the time between attempts to return to the first master; `0` means
	// master_alive_interval.
	MasterFailbackInterval time.Duration `yaml:"master_failback_interval" unit:"s" default:"0" min:"0"`
	// Rehome controls whether the minion moves to a sibling of its master when the master is lost, if
	// that has reported its siblings and is the only one in `master`. See docs/guide/failover.md. Not in Salt.
	Rehome bool `yaml:"rehome" default:"true"`
	// RehomeAfter is the time without master after which the minion moves, plus a random time up to
	// the same length. Not in Salt.
	RehomeAfter time.Duration `yaml:"rehome_after" unit:"s" default:"2" min:"0.01"`
	// RehomeFailback is the time that the master must be back before the minion returns. Not in Salt.
	RehomeFailback time.Duration `yaml:"rehome_failback" unit:"s" default:"60" min:"0.01"`
	// MasterShuffle controls whether the list of masters is shuffled at the start.
	MasterShuffle bool `yaml:"master_shuffle" default:"false"`
	// RandomMaster is the older name of master_shuffle.
	RandomMaster bool `yaml:"random_master" default:"false"`
	// MasterTries is the number of attempts with all masters before the minion gives up; `-1` for no
	// limit.
	MasterTries int `yaml:"master_tries" default:"1" min:"-1"`
	// RetryDns is the time between attempts to resolve the name of a master; `0` gives up at once.
	RetryDns time.Duration `yaml:"retry_dns" unit:"s" default:"30" min:"0"`
	// SourceAddress is the local address, or a host name for it, to connect from.
	SourceAddress string `yaml:"source_address"`
	// ReconDefault is the shortest time before a reconnect; `0` means 100, as in ZeroMQ.
	ReconDefault time.Duration `yaml:"recon_default" unit:"ms" default:"1000" min:"0"`
	// ReconMax is the greatest addition to recon_default. It must not be less than recon_default.
	ReconMax time.Duration `yaml:"recon_max" unit:"ms" default:"10000" min:"1"`
	// ReconRandomize controls whether the wait before a reconnect is recon_default plus a random time,
	// whose limit doubles with each failure up to recon_max. Otherwise the wait itself doubles.
	ReconRandomize bool `yaml:"recon_randomize" default:"true"`
	// PingInterval is the time between `minion_ping` events; `0` for none.
	PingInterval time.Duration `yaml:"ping_interval" unit:"min" default:"0" min:"0"`
	// RandomStartupDelay is the longest random wait before the start.
	RandomStartupDelay time.Duration `yaml:"random_startup_delay" unit:"s" default:"0" min:"0"`
	// RequestChannelTimeout is the time limit for one request.
	RequestChannelTimeout time.Duration `yaml:"request_channel_timeout" unit:"s" default:"60" min:"0.1"`
	// RequestChannelTries is the number of attempts for a request.
	RequestChannelTries int `yaml:"request_channel_tries" default:"3" min:"1"`
	// TcpPubPort is the event port with `ipc_mode: tcp`.
	TcpPubPort int `yaml:"tcp_pub_port" default:"4510" min:"0" max:"65535"`
	// TcpPullPort is the port for fired events with `ipc_mode: tcp`.
	TcpPullPort int `yaml:"tcp_pull_port" default:"4511" min:"0" max:"65535"`
}
