package config

import "time"

// MasterFileserver says what minions get under salt://.
type MasterFileserver struct {
	// FileserverBackend are the sources of files, in the order in which they are searched:
	// roots, gitfs, minionfs, upstream, httpfs. Default [roots].
	FileserverBackend []string `yaml:"fileserver_backend" default:"roots" oneof:"roots git gitfs minion minionfs upstream http httpfs"`
	// FileRoots are the folders of each environment, searched in order; patterns of file
	// names are expanded at the start. The environment __env__ stands for all others, and
	// __env__ in its paths for their names. Default {base: [/srv/salt, /srv/spm/salt]}.
	FileRoots map[string]any `yaml:"file_roots"`
	// FileIgnoreRegex are expressions of Python's kind for paths that are not served, searched
	// in the path in the environment for lists, in the full path for files. Default none.
	FileIgnoreRegex []string `yaml:"file_ignore_regex"`
	// FileIgnoreGlob are patterns for such paths. Default none.
	FileIgnoreGlob []string `yaml:"file_ignore_glob"`
	// FileserverFollowsymlinks lists what is behind links to folders. Default true.
	FileserverFollowsymlinks bool `yaml:"fileserver_followsymlinks" default:"true"`
	// FileserverIgnoresymlinks leaves links out of lists. Default false.
	FileserverIgnoresymlinks bool `yaml:"fileserver_ignoresymlinks" default:"false"`
	// FileserverListCacheTime is how long a list of files is kept, in seconds. Default 20.
	FileserverListCacheTime time.Duration `yaml:"fileserver_list_cache_time" unit:"s" default:"20" min:"0"`
	// FileserverEvents fires salt/fileserver/BACKEND/update with each look for changes.
	// Default false.
	FileserverEvents bool `yaml:"fileserver_events" default:"false"`
	// RootsUpdateInterval is the time between two looks through file_roots, in seconds, with
	// fileserver_events. Default 60.
	RootsUpdateInterval time.Duration `yaml:"roots_update_interval" unit:"s" default:"60" min:"1"`

	// MinionfsEnv is the environment of what minions have pushed. Default base.
	MinionfsEnv string `yaml:"minionfs_env" default:"base"`
	// MinionfsMountpoint is the folder there, with or without salt://. Default none.
	MinionfsMountpoint string `yaml:"minionfs_mountpoint"`
	// MinionfsWhitelist are the minions, as patterns or expressions, whose files are served.
	// Default all.
	MinionfsWhitelist []string `yaml:"minionfs_whitelist"`
	// MinionfsBlacklist are those whose files are not. Default none.
	MinionfsBlacklist []string `yaml:"minionfs_blacklist"`

	// UpstreamCheck is how long a node takes what the master above has said of a file or an
	// environment for true, in seconds. Ours. Default 5.
	UpstreamCheck time.Duration `yaml:"upstream_check" unit:"s" default:"5" min:"0"`
	// FileCacheSize bounds the files that are kept of the master above and of httpfs, in
	// cachedir/file_copies, in MiB. Ours. Default 4096.
	FileCacheSize int `yaml:"file_cache_size" default:"4096" min:"1"`
	// HttpfsFiles are files to fetch by https: {ENV: {PATH: {url: URL, sha256: HEX}}}. Ours.
	// Default none.
	HttpfsFiles map[string]any `yaml:"httpfs_files"`
}

// DefaultFileRoots are Salt's.
var defaultFileRoots = map[string][]string{"base": {"/srv/salt", "/srv/spm/salt"}}

// Roots reads file_roots. What is written as patterns is expanded, as Salt does at the
// start.
func (m *MasterFileserver) Roots() (map[string][]string, error) {
	return ReadRoots("file_roots", m.FileRoots, defaultFileRoots)
}
