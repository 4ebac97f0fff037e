package config

import "time"

// MinionNetwork says how a minion finds and keeps its master.
type MinionNetwork struct {
	// Master are the masters: names or addresses, host:port allowed. Default salt.
	Master []string `yaml:"master" default:"salt"`
	// MasterPort is their ret_port. Default 4506.
	MasterPort int `yaml:"master_port" default:"4506" min:"1" max:"65535"`
	// PublishPort is their publish_port; 0 (or 4506, as in Salt) takes what
	// the master says. Default 0.
	PublishPort int `yaml:"publish_port" default:"0" min:"0" max:"65535"`
	// MasterType says what several masters mean: str (a connection to
	// each), failover (the first that answers), disable (none). Default str.
	MasterType string `yaml:"master_type" default:"str" oneof:"str failover disable"`
	// MasterAliveInterval is the time between checks of the master, in
	// seconds; 0 does not check. Default 0.
	MasterAliveInterval time.Duration `yaml:"master_alive_interval" unit:"s" default:"0" min:"0"`
	// MasterFailback returns to the first master when it is back. Default false.
	MasterFailback bool `yaml:"master_failback" default:"false"`
	// MasterFailbackInterval is the time between looks for it, in seconds.
	// Default 0: master_alive_interval.
	MasterFailbackInterval time.Duration `yaml:"master_failback_interval" unit:"s" default:"0" min:"0"`
	// Rehome moves to a sibling of the master when that is gone, if the master has
	// told its siblings and the option master names it alone. Default true.
	Rehome bool `yaml:"rehome" default:"true"`
	// RehomeAfter is how long the master has to be gone before that, in seconds; as
	// much again at most is added by chance. Default 2.
	RehomeAfter time.Duration `yaml:"rehome_after" unit:"s" default:"2" min:"0.01"`
	// RehomeFailback is how long the master has to be back before the minion
	// returns to it, in seconds. Default 60.
	RehomeFailback time.Duration `yaml:"rehome_failback" unit:"s" default:"60" min:"0.01"`
	// MasterShuffle shuffles the masters once. Default false.
	MasterShuffle bool `yaml:"master_shuffle" default:"false"`
	// RandomMaster is the older name of master_shuffle. Default false.
	RandomMaster bool `yaml:"random_master" default:"false"`
	// MasterTries is the number of rounds over all masters before a minion
	// gives up; -1 never does. Default 1.
	MasterTries int `yaml:"master_tries" default:"1" min:"-1"`
	// RetryDns is the time between tries to find a master's address, in
	// seconds; 0 gives up. Default 30.
	RetryDns time.Duration `yaml:"retry_dns" unit:"s" default:"30" min:"0"`
	// SourceAddress is the local address to connect from, or a host name that stands for it.
	// Default none.
	SourceAddress string `yaml:"source_address"`
	// ReconDefault is the shortest time before a reconnect, in
	// milliseconds; 0 means 100, as in ZeroMQ. Default 1000.
	ReconDefault time.Duration `yaml:"recon_default" unit:"ms" default:"1000" min:"0"`
	// ReconMax is the longest, in milliseconds. Default 10000.
	ReconMax time.Duration `yaml:"recon_max" unit:"ms" default:"10000" min:"1"`
	// ReconRandomize chooses between both. Default true.
	ReconRandomize bool `yaml:"recon_randomize" default:"true"`
	// PingInterval is the time between minion_ping events, in minutes; 0
	// sends none. Default 0.
	PingInterval time.Duration `yaml:"ping_interval" unit:"min" default:"0" min:"0"`
	// RandomStartupDelay is the longest wait before a start, in seconds. Default 0.
	RandomStartupDelay time.Duration `yaml:"random_startup_delay" unit:"s" default:"0" min:"0"`
	// RequestChannelTimeout is the time for one request, in seconds. Default 60.
	RequestChannelTimeout time.Duration `yaml:"request_channel_timeout" unit:"s" default:"60" min:"0.1"`
	// RequestChannelTries is the number of tries of a request. Default 3.
	RequestChannelTries int `yaml:"request_channel_tries" default:"3" min:"1"`
	// TcpPubPort is the event port with ipc_mode tcp. Default 4510.
	TcpPubPort int `yaml:"tcp_pub_port" default:"4510" min:"0" max:"65535"`
	// TcpPullPort is the port to fire events at with ipc_mode tcp. Default 4511.
	TcpPullPort int `yaml:"tcp_pull_port" default:"4511" min:"0" max:"65535"`
}
