package config

import "time"

// MasterNetwork holds ports and limits of a master.
type MasterNetwork struct {
	// Interface is the local address to bind. Default 0.0.0.0.
	Interface string `yaml:"interface" default:"0.0.0.0"`
	// PublishPort is where minions listen for jobs. Default 4505.
	PublishPort int `yaml:"publish_port" default:"4505" min:"0" max:"65535"`
	// RetPort is where minions return and tools ask. Default 4506.
	RetPort int `yaml:"ret_port" default:"4506" min:"0" max:"65535"`
	// ZmqBacklog is the number of connections that may wait to be accepted;
	// 0 takes as many as the system allows. Default 0 (Salt: 1000).
	ZmqBacklog int `yaml:"zmq_backlog" default:"0" min:"0"`
	// PubHwm is the number of publications that may wait for one slow
	// minion. Default 1000.
	PubHwm int `yaml:"pub_hwm" default:"1000" min:"1"`
	// PubHwmBytes is the same in bytes. Ours. Default 16777216 (16 MiB).
	PubHwmBytes int `yaml:"pub_hwm_bytes" unit:"byte" default:"16777216" min:"65536"`
	// PubSlow says what happens to a minion above these limits: cut (the
	// connection is closed, so it comes back and notices) or drop (it
	// misses publications in silence, as with Salt). Ours. Default cut.
	PubSlow string `yaml:"pub_slow" default:"cut" oneof:"cut drop"`
	// ZmqHeartbeatIvl is the time between pings to minions, in
	// milliseconds; 0 sends none. Default 10000.
	ZmqHeartbeatIvl time.Duration `yaml:"zmq_heartbeat_ivl" unit:"ms" default:"10000" min:"0"`
	// ZmqHeartbeatTimeout is the silence after a ping that ends a
	// connection, in milliseconds; 0 ends none. Default 30000.
	ZmqHeartbeatTimeout time.Duration `yaml:"zmq_heartbeat_timeout" unit:"ms" default:"30000" min:"0"`
	// PresenceAsk says that each connection to the publish port which does not
	// announce itself is asked by a find_job of its own who it is, so that stock
	// minions are known to be there, or to be gone. Ours. Default True.
	PresenceAsk bool `yaml:"presence_ask" default:"true"`
	// PresenceReconnect is the longest time in seconds that a stock minion takes
	// from the loss of its connection to the next one and its answer: twice the
	// sum of recon_default and recon_max of the minions, and some seconds. Until
	// then a minion that has gone is waited for. Ours. Default 25.
	PresenceReconnect time.Duration `yaml:"presence_reconnect" unit:"s" default:"25" min:"1"`
	// MaxConnections is the number of connections per port; 0 shares what the
	// limit of open files allows between both. When as many are open, one that has
	// not shown whose it is and has been idle longest gives way. Ours. Default 0.
	MaxConnections int `yaml:"max_connections" default:"0" min:"0"`
	// MaxConnectionsPerAddress is the same for one peer address; 0 means no
	// limit. Ours. Default 0.
	MaxConnectionsPerAddress int `yaml:"max_connections_per_address" default:"0" min:"0"`
	// MaxFrameSizeUntrusted is the largest message in bytes that a peer may send
	// before it has proved who it is; max_frame_size bounds it afterwards. Ours.
	// Default 4194304 (4 MiB).
	MaxFrameSizeUntrusted int `yaml:"max_frame_size_untrusted" unit:"byte" default:"4194304" min:"65536"`
	// MaxRequestBytes is the memory in bytes that requests may hold together, over
	// all connections, from their first byte to the reply, and a quarter of it those
	// of peers that have not proved who they are; who finds no room waits. One
	// request at a time may go beyond it. Ours. Default 33554432 (32 MiB).
	MaxRequestBytes int64 `yaml:"max_request_bytes" unit:"byte" default:"33554432" min:"65536"`
	// MaxHandshakes is the number of connections that may be greeting at
	// once; more wait to be accepted, and one that says nothing gives way to
	// them. Ours. Default 2048.
	MaxHandshakes int `yaml:"max_handshakes" default:"2048" min:"1"`
	// HandshakeTimeout is the time for which a peer that has connected may be silent until
	// it has greeted, in seconds; libzmq gives as much (ZMQ_HANDSHAKE_IVL). While others
	// wait for its place it has far less. Ours. Default 30.
	HandshakeTimeout time.Duration `yaml:"handshake_timeout" unit:"s" default:"30" min:"0.1"`
	// TcpMasterPubPort is the event port with ipc_mode tcp. Default 4512.
	TcpMasterPubPort int `yaml:"tcp_master_pub_port" default:"4512" min:"0" max:"65535"`
	// TcpMasterPullPort is the port to fire events at with ipc_mode tcp.
	// Default 4513.
	TcpMasterPullPort int `yaml:"tcp_master_pull_port" default:"4513" min:"0" max:"65535"`
}
