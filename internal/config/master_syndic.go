package config

import "time"

// MasterSyndic holds the place of a master in the tree: above other masters
// (order_masters) and below one (syndic_*).
type MasterSyndic struct {
	// OrderMasters says that syndics may be below this master: without it only those are
	// that syndic_ids lists or an operator has admitted. Default false.
	OrderMasters bool `yaml:"order_masters" default:"false"`
	// MasterID marks the publications of this master so that a syndic can
	// route the returns. Default none.
	MasterID string `yaml:"master_id"`
	// SyndicIds are the ids (globs) that may be syndics below this master.
	// They are homes for others' minions, too, as by mom node admit. Empty: those may
	// that an operator has admitted, and with order_masters every accepted key that is
	// not a minion's.
	// Default none.
	SyndicIds []string `yaml:"syndic_ids"`
	// PublishPrune leaves out the nodes below that certainly have nobody for a
	// job, by what they report of their minions. Ours. Default true.
	PublishPrune bool `yaml:"publish_prune" default:"true"`
	// SyndicForwardReturns says what of a return goes up to masters of ours:
	// full (all of it), digest (that it came, its retcode, not its body) or
	// none (who has answered, once the job is over here). Bodies stay in the job
	// cache of this node; the masters above fetch them when they are asked for.
	// A Python master above gets all. Ours. Default full.
	SyndicForwardReturns string `yaml:"syndic_forward_returns" default:"full" oneof:"full digest none"`
	// SyndicWait is how long a tool waits at least for syndics that do not
	// tell when they are done, in seconds. Default 5.
	SyndicWait time.Duration `yaml:"syndic_wait" unit:"s" default:"5" min:"0"`
	// PublishSyndicWait lets the answer to a publication wait up to syndic_wait for Python
	// syndics that have not said which minions they have. Otherwise they are named in its
	// field pending. Ours. Default false.
	PublishSyndicWait bool `yaml:"publish_syndic_wait" default:"false"`
	// SyndicMaster are the masters above. Default masterofmasters.
	SyndicMaster []string `yaml:"syndic_master" default:"masterofmasters"`
	// SyndicMasterPort is their ret_port; 0 takes master_port. Default 0.
	SyndicMasterPort int `yaml:"syndic_master_port" default:"0" min:"0" max:"65535"`
	// SyndicMasterPublishPort is their publish_port; 0 takes what they say. Default 0.
	SyndicMasterPublishPort int `yaml:"syndic_master_publish_port" default:"0" min:"0" max:"65535"`
	// SyndicEventForwardTimeout is how long returns are gathered before
	// they go up, in seconds. Default 0.5.
	SyndicEventForwardTimeout time.Duration `yaml:"syndic_event_forward_timeout" unit:"s" default:"0.5" min:"0"`
	// SyndicJidForwardCacheHwm is the number of job ids remembered as sent
	// up. Default 100.
	SyndicJidForwardCacheHwm int `yaml:"syndic_jid_forward_cache_hwm" default:"100" min:"1"`
	// SyndicEventsWhitelist holds globs of the tags of events that go up; none
	// lets all go. What a waiting job needs goes up in any case. Ours. Default none.
	SyndicEventsWhitelist []string `yaml:"syndic_events_whitelist"`
	// SyndicEventsBlacklist holds globs of the tags that do not go up, before
	// the whitelist is asked. Ours. Default none.
	SyndicEventsBlacklist []string `yaml:"syndic_events_blacklist"`
	// SyndicMode says what goes up: sync (returns and events) or cluster
	// (returns). Default sync.
	SyndicMode string `yaml:"syndic_mode" default:"sync" oneof:"sync cluster"`
	// SyndicFailover is the order in which other masters are tried: random
	// or ordered. Default random.
	SyndicFailover string `yaml:"syndic_failover" default:"random" oneof:"random ordered"`
	// SyndicFailoverAfter is how long a master above has to be gone before
	// another one takes its place, in seconds. Default 5.
	SyndicFailoverAfter time.Duration `yaml:"syndic_failover_after" unit:"s" default:"5" min:"0"`
	// SyndicFailback is how long a master above has to be back before it is
	// preferred again, in seconds. Default 30.
	SyndicFailback time.Duration `yaml:"syndic_failback" unit:"s" default:"30" min:"0"`
	// Rehome tells nodes and minions below their siblings, so that they move to one
	// when their own node is gone. At a node it also lets the node itself move.
	// Default true.
	Rehome bool `yaml:"rehome" default:"true"`
	// RehomeKeys vouches for accepted keys at siblings, and accepts keys that a
	// sibling vouches for. Default true.
	RehomeKeys bool `yaml:"rehome_keys" default:"true"`
	// RehomeAddress is the address siblings' minions reach this node by. Default:
	// the one the master above sees.
	RehomeAddress string `yaml:"rehome_address"`
	// SyndicFinger is the expected fingerprint of the master above. Default none.
	SyndicFinger string `yaml:"syndic_finger"`
	// SyndicUser is the account of a syndic. Default: user.
	SyndicUser string `yaml:"syndic_user"`
	// SyndicLogFile is its log file. Default /var/log/salt/syndic.
	SyndicLogFile string `yaml:"syndic_log_file" default:"/var/log/salt/syndic"`
	// SyndicPidfile holds its process id. Default /var/run/salt-syndic.pid.
	SyndicPidfile string `yaml:"syndic_pidfile" default:"/var/run/salt-syndic.pid"`
}
