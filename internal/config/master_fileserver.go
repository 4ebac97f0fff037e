package config

import "time"

// MasterFileserver holds the sources of salt://, see docs/guide/files.md.
type MasterFileserver struct {
	// FileserverBackend is the list of file sources, in search order: `roots`, `gitfs` (or `git`),
	// `minionfs` (`minion`), `upstream`, `httpfs` (`http`). `upstream` and `httpfs` are not in Salt.
	FileserverBackend []string `yaml:"fileserver_backend" default:"roots" oneof:"roots git gitfs minion minionfs upstream http httpfs"`
	// FileRoots is a map of environments to their directories, in search order. Globs are expanded at
	// the start. `__env__` stands for all other environments, and in its paths for their names.
	// Default: `{base: [/srv/salt, /srv/spm/salt]}`.
	FileRoots map[string]any `yaml:"file_roots"`
	// FileIgnoreRegex is a list of Python regular expressions. Matching paths are not served: relative
	// to the environment in listings, absolute for single files.
	FileIgnoreRegex []string `yaml:"file_ignore_regex"`
	// FileIgnoreGlob is a list of globs of paths that are not served, as with file_ignore_regex.
	FileIgnoreGlob []string `yaml:"file_ignore_glob"`
	// FileserverFollowsymlinks controls whether listings follow links to directories.
	FileserverFollowsymlinks bool `yaml:"fileserver_followsymlinks" default:"true"`
	// FileserverIgnoresymlinks controls whether listings omit links.
	FileserverIgnoresymlinks bool `yaml:"fileserver_ignoresymlinks" default:"false"`
	// FileserverListCacheTime is the time for which a listing is cached.
	FileserverListCacheTime time.Duration `yaml:"fileserver_list_cache_time" unit:"s" default:"20" min:"0"`
	// FileserverEvents controls whether `salt/fileserver/BACKEND/update` is fired at each check for
	// changes.
	FileserverEvents bool `yaml:"fileserver_events" default:"false"`
	// RootsUpdateInterval is the time between checks of file_roots with fileserver_events.
	RootsUpdateInterval time.Duration `yaml:"roots_update_interval" unit:"s" default:"60" min:"1"`

	// MinionfsEnv is the environment of files pushed by minions.
	MinionfsEnv string `yaml:"minionfs_env" default:"base"`
	// MinionfsMountpoint is the directory of files pushed by minions in that environment, with or
	// without `salt://`.
	MinionfsMountpoint string `yaml:"minionfs_mountpoint"`
	// MinionfsWhitelist is a list of globs or regular expressions of the only minions whose files are
	// served. Default: all.
	MinionfsWhitelist []string `yaml:"minionfs_whitelist"`
	// MinionfsBlacklist is a list of globs or regular expressions of minions whose files are not
	// served.
	MinionfsBlacklist []string `yaml:"minionfs_blacklist"`

	// UpstreamCheck is the time for which a node trusts the answer of the master above about a file or
	// environment. Not in Salt.
	UpstreamCheck time.Duration `yaml:"upstream_check" unit:"s" default:"5" min:"0"`
	// FileCacheSize is the limit of `cachedir/file_copies`, the files copied from the master above and
	// by `httpfs`. Not in Salt.
	FileCacheSize int `yaml:"file_cache_size" unit:"MiB" default:"4096" min:"1"`
	// HttpfsFiles is a map of files to fetch by HTTPS: `{ENV: {PATH: {url: URL, sha256: HEX}}}`. Not
	// in Salt.
	HttpfsFiles map[string]any `yaml:"httpfs_files"`
}

// defaultFileRoots is Salt's default.
var defaultFileRoots = map[string][]string{"base": {"/srv/salt", "/srv/spm/salt"}}

// Roots reads file_roots and expands its globs.
func (m *MasterFileserver) Roots() (map[string][]string, error) {
	return ReadRoots("file_roots", m.FileRoots, defaultFileRoots)
}
