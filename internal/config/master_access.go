package config

import "time"

// AclMatchStart is the value of acl_match that behaves as Salt.
const AclMatchStart = "start"

// AclReturnersOpen is the value of acl_returners that behaves as Salt.
const AclReturnersOpen = "open"

// MasterAccess holds who may call what, see docs/guide/access.md.
type MasterAccess struct {
	// PublisherAcl is a map of functions that local users may call: `{USER: [FUNCTION REGEX or
	// {TARGET: [FUNCTION REGEX]}]}`.
	PublisherAcl map[string]any `yaml:"publisher_acl"`
	// PublisherAclBlacklist is a map of users and modules (globs or regular expressions) that may not
	// publish, including root: `{users: [], modules: []}`.
	PublisherAclBlacklist map[string]any `yaml:"publisher_acl_blacklist"`
	// ClientAclVerify controls whether local users that match a pattern in publisher_acl get key
	// files, not only those named literally.
	ClientAclVerify bool `yaml:"client_acl_verify" default:"true"`
	// SudoAcl controls whether publisher_acl also applies to users of sudo.
	SudoAcl bool `yaml:"sudo_acl" default:"false"`
	// AclMatch is how expressions for functions and arguments in publisher_acl and external_auth
	// match: the `whole` name, or its `start` as in Salt, where `test.ping` allows every name that
	// begins so. Use one value in the whole tree. Not in Salt.
	AclMatch string `yaml:"acl_match" default:"whole" oneof:"whole start"`
	// AclReturners controls who with rules may choose returners and executors of a job (`ret`,
	// `ret_config`, `ret_kwargs`, `module_executors`, `executor_opts`): `rules` for those with
	// `@returners` and `@executors`, `open` for all, as in Salt. Use one value in the whole tree. Not
	// in Salt.
	AclReturners string `yaml:"acl_returners" default:"rules" oneof:"rules open"`
	// ExternalAuth is a map of functions that users of login services may call: `{SERVICE: {USER,
	// GROUP% or '*': [rules as in publisher_acl, @runner, @wheel]}}`.
	ExternalAuth map[string]any `yaml:"external_auth"`
	// PermissiveAcl controls whether rules of external_auth for `*` apply to everybody, not only to
	// users without their own entry.
	PermissiveAcl bool `yaml:"permissive_acl" default:"false"`
	// EauthTokens is the store of login tokens. Only `localfs` is supported; others are ignored with a
	// warning.
	EauthTokens string `yaml:"eauth_tokens" default:"localfs" oneof:"localfs" unknown:"default"`
	// TokenExpire is the lifetime of a login token.
	TokenExpire time.Duration `yaml:"token_expire" unit:"s" default:"43200" min:"1"`
	// TokenExpireUserOverride controls whether users may choose the lifetime of their tokens: `true`
	// for all, or `{SERVICE: [USER]}`.
	TokenExpireUserOverride Override `yaml:"token_expire_user_override" default:"false"`
	// KeepAclInToken controls whether a token keeps the rights that the user has at the login.
	KeepAclInToken bool `yaml:"keep_acl_in_token" default:"false"`
	// MineGet is a map that restricts access to the mine: `{MINION ID REGEX: [FUNCTION REGEX]}`.
	// Default: all functions.
	MineGet map[string]any `yaml:"mine_get"`
	// Peer is a map of functions that minions may publish: `{MINION ID REGEX: [FUNCTION REGEX or a
	// rule as in publisher_acl]}`. The regex must match the whole id; functions match as acl_match
	// says.
	Peer map[string]any `yaml:"peer"`
	// PeerRun is a map of runners that minions may call, in the form of `peer`.
	PeerRun map[string]any `yaml:"peer_run"`
}
