package config

import "time"

// MasterEvents holds the events that a master fires, accepts and stores.
type MasterEvents struct {
	// PresenceEvents controls whether `salt/presence/*` is fired every loop_interval.
	PresenceEvents bool `yaml:"presence_events" default:"false"`
	// MinionDataCacheEvents controls whether `minion/refresh/ID` is fired.
	MinionDataCacheEvents bool `yaml:"minion_data_cache_events" default:"true"`
	// EventReturn is a list of the returners that get all events: `mysql`, `pgjsonb`, `postgres`,
	// `rawfile_json`, `kafka` and `nats` (docs/guide/events-out.md). An unknown one is ignored with a warning.
	EventReturn []string `yaml:"event_return" oneof:"kafka mysql nats pgjsonb postgres rawfile_json" returners:"events" unknown:"default"`
	// EventReturnQueue is the number of events stored at once; `0` stores each immediately.
	EventReturnQueue int `yaml:"event_return_queue" default:"0" min:"0" max:"60000"`
	// EventReturnQueueMaxSeconds is the longest time for which events are collected; `0` means 1.
	EventReturnQueueMaxSeconds time.Duration `yaml:"event_return_queue_max_seconds" unit:"s" default:"0" min:"0"`
	// EventReturnWhitelist is a list of globs or regular expressions of the only tags to store.
	// Default: all.
	EventReturnWhitelist []string `yaml:"event_return_whitelist"`
	// EventReturnBlacklist is a list of globs or regular expressions of tags not to store.
	EventReturnBlacklist []string `yaml:"event_return_blacklist"`
	// MinionEventsMaxBytes is the limit per minion and 24 hours for events; `0` for no limit. Further
	// ones are acknowledged and dropped. Not in Salt.
	MinionEventsMaxBytes int64 `yaml:"minion_events_max_bytes" unit:"byte" default:"268435456" min:"0" max:"1099511627776"`
	// MinionEventTags is a list of globs of tags that minions may fire although they are reserved:
	// those below `salt/batch`, `salt/cloud`, `salt/engines`, `salt/fileserver`, `salt/master`,
	// `salt/queue`, `salt/reactors` and `salt/stats`. Not in Salt.
	MinionEventTags []string `yaml:"minion_event_tags"`
	// MasterStats controls whether `salt/stats/*` is fired.
	MasterStats bool `yaml:"master_stats" default:"false"`
}
