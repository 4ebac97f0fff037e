package config

import "time"

// MasterEvents holds what a master tells and keeps about events.
type MasterEvents struct {
	// PresenceEvents fires salt/presence/* each loop_interval, about the
	// minions that announce themselves (not those of Python). Default false.
	PresenceEvents bool `yaml:"presence_events" default:"false"`
	// MinionDataCacheEvents fires minion/refresh/<id>. Default true.
	MinionDataCacheEvents bool `yaml:"minion_data_cache_events" default:"true"`
	// EventReturn names the returner that keeps events: mysql. Default none.
	EventReturn []string `yaml:"event_return" oneof:"mysql" stores:"too" unknown:"default"`
	// EventReturnQueue is how many events are gathered before they are stored;
	// 0 stores them as they come. Default 0.
	EventReturnQueue int `yaml:"event_return_queue" default:"0" min:"0" max:"60000"`
	// EventReturnQueueMaxSeconds is how long they are gathered at most, in
	// seconds; 0 means one second. Default 0.
	EventReturnQueueMaxSeconds time.Duration `yaml:"event_return_queue_max_seconds" unit:"s" default:"0" min:"0"`
	// EventReturnWhitelist holds globs or regular expressions of the tags to
	// keep; none keeps all. Default none.
	EventReturnWhitelist []string `yaml:"event_return_whitelist"`
	// EventReturnBlacklist holds those of the tags not to keep. Default none.
	EventReturnBlacklist []string `yaml:"event_return_blacklist"`
	// MinionEventsMaxBytes bounds the events of one minion within 24 hours, in bytes. More are
	// answered and dropped. 0: no bound. Ours. Default 268435456 (256 MiB).
	MinionEventsMaxBytes int64 `yaml:"minion_events_max_bytes" unit:"byte" default:"268435456" min:"0" max:"1099511627776"`
	// MinionEventTags holds globs of tags that minions may fire although services beside a
	// master fire them: those below salt/batch, salt/cloud, salt/engines, salt/fileserver,
	// salt/master, salt/queue, salt/reactors and salt/stats. Ours. Default none.
	MinionEventTags []string `yaml:"minion_event_tags"`
	// MasterStats fires salt/stats/*. Default false.
	MasterStats bool `yaml:"master_stats" default:"false"`
}
