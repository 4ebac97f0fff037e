package config

import "time"

// MasterGit says which git repositories minions get files and pillar from, see docs/guide/git.md.
// What an option says of all remotes, a parameter of the same name says of one.
type MasterGit struct {
	// GitfsRemotes are the repositories of the backend gitfs, searched in order: a list of
	// URLs, or of {URL: [PARAMETER: VALUE, ...]}. Default none.
	GitfsRemotes any `yaml:"gitfs_remotes"`
	// GitfsBase is the branch or tag that is the environment base. Default master.
	GitfsBase string `yaml:"gitfs_base" default:"master"`
	// GitfsRoot is the folder of a repository that is served. Default its top.
	GitfsRoot string `yaml:"gitfs_root"`
	// GitfsMountpoint is the folder of the environment under which it is served, with or
	// without salt://. Default its top.
	GitfsMountpoint string `yaml:"gitfs_mountpoint"`
	// GitfsSaltenv says for environments by name which ref, root and mountpoint they have:
	// [{ENV: [ref: NAME, ...]}, ...]. Default none.
	GitfsSaltenv any `yaml:"gitfs_saltenv"`
	// GitfsSaltenvWhitelist are the environments that there are, as patterns or expressions.
	// Default all.
	GitfsSaltenvWhitelist []string `yaml:"gitfs_saltenv_whitelist"`
	// GitfsSaltenvBlacklist are those that there are not. Default none.
	GitfsSaltenvBlacklist []string `yaml:"gitfs_saltenv_blacklist"`
	// GitfsDisableSaltenvMapping leaves out environments that are not named in saltenv.
	// Default false.
	GitfsDisableSaltenvMapping bool `yaml:"gitfs_disable_saltenv_mapping" default:"false"`
	// GitfsRefTypes are what environments are made of: branch, tag, sha. Default all three.
	GitfsRefTypes []string `yaml:"gitfs_ref_types" oneof:"branch tag sha"`
	// GitfsFallback is the branch or tag of environments that a repository does not have.
	// Default none.
	GitfsFallback string `yaml:"gitfs_fallback"`
	// GitfsRefspecs are the refs that are fetched. Default branches and tags.
	GitfsRefspecs []string `yaml:"gitfs_refspecs"`
	// GitfsUpdateInterval is the time between two fetches, in seconds. Default 60.
	GitfsUpdateInterval time.Duration `yaml:"gitfs_update_interval" unit:"s" default:"60" min:"1"`
	// GitfsUser and GitfsPassword are those of https. Default none.
	GitfsUser string `yaml:"gitfs_user"`
	// GitfsPassword is that of GitfsUser. Default none.
	GitfsPassword string `yaml:"gitfs_password" secret:"yes"`
	// GitfsInsecureAuth sends them by http as well, which anybody on the way can read.
	// Default false.
	GitfsInsecureAuth bool `yaml:"gitfs_insecure_auth" default:"false"`
	// GitfsPrivkey is the file of the secret key of ssh. Default those of ~/.ssh.
	GitfsPrivkey string `yaml:"gitfs_privkey"`
	// GitfsPubkey is the file of its public half, which need not be given. Default none.
	GitfsPubkey string `yaml:"gitfs_pubkey"`
	// GitfsPassphrase opens GitfsPrivkey. Default none.
	GitfsPassphrase string `yaml:"gitfs_passphrase" secret:"yes"`
	// GitfsSslVerify holds the certificates of https against those that the system trusts.
	// Default true.
	GitfsSslVerify bool `yaml:"gitfs_ssl_verify" default:"true"`

	// GitPillarBranch is the branch of remotes of git in ext_pillar that name none. Default
	// master.
	GitPillarBranch string `yaml:"git_pillar_branch" default:"master"`
	// GitPillarBase is the branch or tag that is the pillar environment base. Default master.
	GitPillarBase string `yaml:"git_pillar_base" default:"master"`
	// GitPillarEnv is the pillar environment of all remotes. Default that of their branch.
	GitPillarEnv string `yaml:"git_pillar_env"`
	// GitPillarRoot is the folder of a repository that is read. Default its top.
	GitPillarRoot string `yaml:"git_pillar_root"`
	// GitPillarFallback is the branch or tag where the one that is asked for is not there.
	// Default none.
	GitPillarFallback string `yaml:"git_pillar_fallback"`
	// GitPillarIncludes lets top files of one remote name SLS of the others of its
	// environment. Default true.
	GitPillarIncludes bool `yaml:"git_pillar_includes" default:"true"`
	// GitPillarRefspecs are the refs that are fetched. Default branches and tags.
	GitPillarRefspecs []string `yaml:"git_pillar_refspecs"`
	// GitPillarUpdateInterval is the time between two fetches, in seconds. Default 60.
	GitPillarUpdateInterval time.Duration `yaml:"git_pillar_update_interval" unit:"s" default:"60" min:"1"`
	// GitPillarUser is the user of https. Default none.
	GitPillarUser string `yaml:"git_pillar_user"`
	// GitPillarPassword is that of GitPillarUser. Default none.
	GitPillarPassword string `yaml:"git_pillar_password" secret:"yes"`
	// GitPillarInsecureAuth sends them by http as well. Default false.
	GitPillarInsecureAuth bool `yaml:"git_pillar_insecure_auth" default:"false"`
	// GitPillarPrivkey is the file of the secret key of ssh. Default those of ~/.ssh.
	GitPillarPrivkey string `yaml:"git_pillar_privkey"`
	// GitPillarPubkey is the file of its public half, which need not be given. Default none.
	GitPillarPubkey string `yaml:"git_pillar_pubkey"`
	// GitPillarPassphrase opens GitPillarPrivkey. Default none.
	GitPillarPassphrase string `yaml:"git_pillar_passphrase" secret:"yes"`
	// GitPillarSslVerify holds certificates against those that the system trusts. Default
	// true.
	GitPillarSslVerify bool `yaml:"git_pillar_ssl_verify" default:"true"`
}
