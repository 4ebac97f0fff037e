package config

import "time"

// MasterGit holds the remotes of gitfs and git_pillar, see docs/guide/git.md. A parameter of a
// remote overrides the option of the same name.
type MasterGit struct {
	// GitfsRemotes is the list of repositories, in search order: URLs, or `{URL: [PARAMETER: VALUE,
	// ...]}`.
	GitfsRemotes any `yaml:"gitfs_remotes"`
	// GitfsBase is the branch or tag of the environment `base`.
	GitfsBase string `yaml:"gitfs_base" default:"master"`
	// GitfsRoot is the directory of a repository that is served. Default: root of the repository.
	GitfsRoot string `yaml:"gitfs_root"`
	// GitfsMountpoint is the directory of the environment that it appears in, with or without
	// `salt://`. Default: root of the environment.
	GitfsMountpoint string `yaml:"gitfs_mountpoint"`
	// GitfsSaltenv is a list with ref, root and mountpoint of environments: `[{ENV: [ref: NAME, ...]},
	// ...]`.
	GitfsSaltenv any `yaml:"gitfs_saltenv"`
	// GitfsSaltenvWhitelist is a list of globs or regular expressions of the only environments.
	// Default: all.
	GitfsSaltenvWhitelist []string `yaml:"gitfs_saltenv_whitelist"`
	// GitfsSaltenvBlacklist is a list of globs or regular expressions of environments to hide.
	GitfsSaltenvBlacklist []string `yaml:"gitfs_saltenv_blacklist"`
	// GitfsDisableSaltenvMapping controls whether only environments in `saltenv` exist.
	GitfsDisableSaltenvMapping bool `yaml:"gitfs_disable_saltenv_mapping" default:"false"`
	// GitfsRefTypes is a list of the kinds of refs that become environments. Default: all.
	GitfsRefTypes []string `yaml:"gitfs_ref_types" oneof:"branch tag sha"`
	// GitfsFallback is the branch or tag for environments that a repository lacks.
	GitfsFallback string `yaml:"gitfs_fallback"`
	// GitfsRefspecs is the list of refs to fetch. Default: branches and tags.
	GitfsRefspecs []string `yaml:"gitfs_refspecs"`
	// GitfsUpdateInterval is the time between fetches.
	GitfsUpdateInterval time.Duration `yaml:"gitfs_update_interval" unit:"s" default:"60" min:"1"`
	// GitfsUser is the user name for HTTPS.
	GitfsUser string `yaml:"gitfs_user"`
	// GitfsPassword is the password for HTTPS.
	GitfsPassword string `yaml:"gitfs_password" secret:"yes"`
	// GitfsInsecureAuth controls whether user name and password are also sent by plain HTTP, readable
	// on the network.
	GitfsInsecureAuth bool `yaml:"gitfs_insecure_auth" default:"false"`
	// GitfsPrivkey is the file of the private SSH key. Default: the keys in `~/.ssh`.
	GitfsPrivkey string `yaml:"gitfs_privkey"`
	// GitfsPubkey is the file of the public SSH key. It is not needed.
	GitfsPubkey string `yaml:"gitfs_pubkey"`
	// GitfsPassphrase is the passphrase of gitfs_privkey.
	GitfsPassphrase string `yaml:"gitfs_passphrase" secret:"yes"`
	// GitfsSslVerify controls whether HTTPS certificates are verified against the system's
	// authorities.
	GitfsSslVerify bool `yaml:"gitfs_ssl_verify" default:"true"`

	// GitPillarBranch is the branch of remotes of `git` in ext_pillar without one.
	GitPillarBranch string `yaml:"git_pillar_branch" default:"master"`
	// GitPillarBase is the branch or tag of the pillar environment `base`.
	GitPillarBase string `yaml:"git_pillar_base" default:"master"`
	// GitPillarEnv is the pillar environment of all remotes. Default: by their branch.
	GitPillarEnv string `yaml:"git_pillar_env"`
	// GitPillarRoot is the directory of a repository that is read. Default: root of the repository.
	GitPillarRoot string `yaml:"git_pillar_root"`
	// GitPillarFallback is the branch or tag used if the requested one does not exist.
	GitPillarFallback string `yaml:"git_pillar_fallback"`
	// GitPillarIncludes controls whether a top file of one remote may name SLS files of other remotes
	// in its environment.
	GitPillarIncludes bool `yaml:"git_pillar_includes" default:"true"`
	// GitPillarRefspecs is the list of refs to fetch. Default: branches and tags.
	GitPillarRefspecs []string `yaml:"git_pillar_refspecs"`
	// GitPillarUpdateInterval is the time between fetches.
	GitPillarUpdateInterval time.Duration `yaml:"git_pillar_update_interval" unit:"s" default:"60" min:"1"`
	// GitPillarUser is the user name for HTTPS.
	GitPillarUser string `yaml:"git_pillar_user"`
	// GitPillarPassword is the password for HTTPS.
	GitPillarPassword string `yaml:"git_pillar_password" secret:"yes"`
	// GitPillarInsecureAuth controls whether user name and password are also sent by plain HTTP.
	GitPillarInsecureAuth bool `yaml:"git_pillar_insecure_auth" default:"false"`
	// GitPillarPrivkey is the file of the private SSH key. Default: the keys in `~/.ssh`.
	GitPillarPrivkey string `yaml:"git_pillar_privkey"`
	// GitPillarPubkey is the file of the public SSH key. It is not needed.
	GitPillarPubkey string `yaml:"git_pillar_pubkey"`
	// GitPillarPassphrase is the passphrase of git_pillar_privkey.
	GitPillarPassphrase string `yaml:"git_pillar_passphrase" secret:"yes"`
	// GitPillarSslVerify controls whether HTTPS certificates are verified against the system's
	// authorities.
	GitPillarSslVerify bool `yaml:"git_pillar_ssl_verify" default:"true"`
}
