package config

import "time"

// MasterSyndic holds the place of a master in the tree: above other masters
// (order_masters) and below one (syndic_*).
type MasterSyndic struct {
	// OrderMasters controls whether syndics may connect to this master. Otherwise only those in
	// syndic_ids or admitted by `mom node admit` may.
	OrderMasters bool `yaml:"order_masters" default:"false"`
	// ClusterID is the name of a cluster of tops that act as one; all of them set it. See
	// docs/guide/operate/two-tops.md. Default: none.
	ClusterID string `yaml:"cluster_id"`
	// ClusterPeers is the list of the addresses of the other tops of the cluster: host, or
	// host:port of their ret_port.
	ClusterPeers []string `yaml:"cluster_peers"`
	// ClusterLeader is the id of the top of the cluster that runs scheduled jobs and reactions. Not in
	// Salt. Default: whichever holds the lease in the database of master_job_cache.
	ClusterLeader string `yaml:"cluster_leader"`
	// MasterID is the id in publications of this master by which syndics route returns.
	MasterID string `yaml:"master_id"`
	// SyndicIds is a list of globs of the ids that may be syndics below this master. Like nodes of
	// `mom node admit`, they may take over minions of others. Default: nodes that an operator admitted
	// and, with order_masters, every accepted key that is not a minion's. Not in Salt.
	SyndicIds []string `yaml:"syndic_ids"`
	// PublishPrune controls whether a job is not sent to nodes that, by their reports, have no
	// matching minion. Not in Salt.
	PublishPrune bool `yaml:"publish_prune" default:"true"`
	// SyndicForwardReturns is the part of a return that masters above get: `full`, `digest` (return
	// code without body) or `none` (only who answered, at the end of the job). They fetch bodies from
	// this node when needed. A Python master always gets all. Not in Salt.
	SyndicForwardReturns string `yaml:"syndic_forward_returns" default:"full" oneof:"full digest none"`
	// SyndicWait is the least time for which a command waits for syndics that do not report the end of
	// a job.
	SyndicWait time.Duration `yaml:"syndic_wait" unit:"s" default:"5" min:"0"`
	// PublishSyndicWait controls whether the reply to a publication waits up to syndic_wait until
	// Python syndics have reported their minions. Otherwise its field `pending` names them. Not in
	// Salt.
	PublishSyndicWait bool `yaml:"publish_syndic_wait" default:"false"`
	// SyndicMaster is the list of masters above.
	SyndicMaster []string `yaml:"syndic_master" default:"masterofmasters"`
	// SyndicMasterPort is the ret_port of the masters above; `0` means master_port.
	SyndicMasterPort int `yaml:"syndic_master_port" default:"0" min:"0" max:"65535"`
	// SyndicMasterPublishPort is the publish_port of the masters above; `0` means what they report.
	SyndicMasterPublishPort int `yaml:"syndic_master_publish_port" default:"0" min:"0" max:"65535"`
	// SyndicEventForwardTimeout is the time for which returns are collected before they are sent up.
	SyndicEventForwardTimeout time.Duration `yaml:"syndic_event_forward_timeout" unit:"s" default:"0.5" min:"0"`
	// SyndicJidForwardCacheHwm is the number of job ids remembered as sent up.
	SyndicJidForwardCacheHwm int `yaml:"syndic_jid_forward_cache_hwm" default:"100" min:"1"`
	// SyndicEventsWhitelist is a list of globs of the only event tags that are sent up. Events that
	// open jobs need always are. Not in Salt. Default: all.
	SyndicEventsWhitelist []string `yaml:"syndic_events_whitelist"`
	// SyndicEventsBlacklist is a list of globs of tags that are not sent up; it precedes the
	// whitelist. Not in Salt.
	SyndicEventsBlacklist []string `yaml:"syndic_events_blacklist"`
	// SyndicMode controls what is sent up: `sync` for returns and events, `cluster` for returns.
	SyndicMode string `yaml:"syndic_mode" default:"sync" oneof:"sync cluster"`
	// SyndicFailover is the order in which other masters above are tried: `random` or `ordered`.
	SyndicFailover string `yaml:"syndic_failover" default:"random" oneof:"random ordered"`
	// SyndicFailoverAfter is the time after which another master above replaces a lost one. Not in
	// Salt.
	SyndicFailoverAfter time.Duration `yaml:"syndic_failover_after" unit:"s" default:"5" min:"0"`
	// SyndicFailback is the time that a master above must be back before it is preferred again. Not in
	// Salt.
	SyndicFailback time.Duration `yaml:"syndic_failback" unit:"s" default:"30" min:"0"`
	// Rehome controls whether nodes and minions below learn their siblings, to which they move when
	// their own node is lost. At a node, also whether the node itself moves. See docs/guide/failover.md. Not in
	// Salt.
	Rehome bool `yaml:"rehome" default:"true"`
	// RehomeKeys controls whether this node vouches for its accepted keys at siblings and accepts keys
	// for which siblings vouch. Not in Salt.
	RehomeKeys bool `yaml:"rehome_keys" default:"true"`
	// RehomeAddress is the address at which minions of siblings reach this node. Not in Salt. Default:
	// `interface` if it is a single address, else the one that the master above sees.
	RehomeAddress string `yaml:"rehome_address"`
	// SyndicFinger is the expected fingerprint of the key of the master above.
	SyndicFinger string `yaml:"syndic_finger"`
	// SyndicUser is the account that a syndic runs as. Default: `user`.
	SyndicUser string `yaml:"syndic_user"`
	// SyndicLogFile is the log file of a syndic.
	SyndicLogFile string `yaml:"syndic_log_file" default:"/var/log/salt/syndic"`
	// SyndicPidfile is the file with the process id of a syndic.
	SyndicPidfile string `yaml:"syndic_pidfile" default:"/var/run/salt-syndic.pid"`
}
