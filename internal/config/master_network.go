package config

import "time"

// MasterNetwork holds ports, limits and timeouts of connections.
type MasterNetwork struct {
	// Interface is the local address to listen on.
	Interface string `yaml:"interface" default:"0.0.0.0"`
	// PublishPort is the port on which minions receive jobs.
	PublishPort int `yaml:"publish_port" default:"4505" min:"0" max:"65535"`
	// RetPort is the port for returns of minions and requests of commands.
	RetPort int `yaml:"ret_port" default:"4506" min:"0" max:"65535"`
	// ZmqBacklog is the number of connections that may wait to be accepted. `0` means the system's
	// limit; Salt's default is 1000.
	ZmqBacklog int `yaml:"zmq_backlog" default:"0" min:"0"`
	// PubHwm is the number of publications that may wait for a slow minion.
	PubHwm int `yaml:"pub_hwm" default:"1000" min:"1"`
	// PubHwmBytes is the number of bytes of publications that may wait for a slow minion. Not in Salt.
	PubHwmBytes int `yaml:"pub_hwm_bytes" unit:"byte" default:"16777216" min:"65536"`
	// PubSlow is the action when pub_hwm or pub_hwm_bytes is exceeded: `cut` closes the connection, so
	// that the minion reconnects and gets what it missed; `drop` silently drops publications, as Salt
	// does. Not in Salt.
	PubSlow string `yaml:"pub_slow" default:"cut" oneof:"cut drop"`
	// ZmqHeartbeatIvl is the time between pings to minions; `0` for none.
	ZmqHeartbeatIvl time.Duration `yaml:"zmq_heartbeat_ivl" unit:"ms" default:"10000" min:"0"`
	// ZmqHeartbeatTimeout is the time after an unanswered ping that ends a connection; `0` for no
	// limit.
	ZmqHeartbeatTimeout time.Duration `yaml:"zmq_heartbeat_timeout" unit:"ms" default:"30000" min:"0"`
	// PresenceAsk controls whether each connection to publish_port that does not announce itself gets
	// a `find_job`, so that the master knows which stock minions are connected. Not in Salt.
	PresenceAsk bool `yaml:"presence_ask" default:"true"`
	// PresenceReconnect is the longest time that a stock minion needs to reconnect and answer: twice
	// the sum of its recon_default and recon_max, plus some seconds. A lost minion counts as missing
	// only afterwards. Not in Salt.
	PresenceReconnect time.Duration `yaml:"presence_reconnect" unit:"s" default:"25" min:"1"`
	// MaxConnections is the number of connections per port. `0` shares the limit of open files between
	// both. At the limit, the longest idle connection without a proven identity is closed. Not in
	// Salt.
	MaxConnections int `yaml:"max_connections" default:"0" min:"0"`
	// MaxConnectionsPerAddress is the number of connections per port and peer address; `0` for no
	// limit. Not in Salt.
	MaxConnectionsPerAddress int `yaml:"max_connections_per_address" default:"0" min:"0"`
	// MaxFrameSizeUntrusted is the largest message of a peer that has not proved its identity;
	// afterwards, max_frame_size counts. Not in Salt.
	MaxFrameSizeUntrusted int `yaml:"max_frame_size_untrusted" unit:"byte" default:"4194304" min:"65536"`
	// MaxRequestBytes is the memory for all requests from their first byte to the reply. Peers without
	// a proven identity share a quarter of it. Further requests wait; one request at a time may exceed
	// it. Not in Salt.
	MaxRequestBytes int64 `yaml:"max_request_bytes" unit:"byte" default:"33554432" min:"65536"`
	// MaxHandshakes is the number of simultaneous handshakes. Further connections wait; a silent one
	// is closed for them. Not in Salt.
	MaxHandshakes int `yaml:"max_handshakes" default:"2048" min:"1"`
	// HandshakeTimeout is the time for which a peer may be silent in a handshake, as in libzmq
	// (ZMQ_HANDSHAKE_IVL). It is much shorter while others wait. Not in Salt.
	//mutant:handshake-timeout-as-libzmq
	HandshakeTimeout time.Duration `yaml:"handshake_timeout" unit:"s" default:"30" min:"0.1"`
	// TcpMasterPubPort is the event port with `ipc_mode: tcp`.
	TcpMasterPubPort int `yaml:"tcp_master_pub_port" default:"4512" min:"0" max:"65535"`
	// TcpMasterPullPort is the port for fired events with `ipc_mode: tcp`.
	TcpMasterPullPort int `yaml:"tcp_master_pull_port" default:"4513" min:"0" max:"65535"`
}
