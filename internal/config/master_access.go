package config

import "time"

// AclMatchStart is the value of acl_match that is Salt's way.
const AclMatchStart = "start"

// AclReturnersOpen is the value of acl_returners that is Salt's way.
const AclReturnersOpen = "open"

// MasterAccess says who may do what.
type MasterAccess struct {
	// PublisherAcl lets local users call functions: {user: [function regex
	// or {target: [function regex]}]}. Default none.
	PublisherAcl map[string]any `yaml:"publisher_acl"`
	// PublisherAclBlacklist holds users and modules (globs or regular
	// expressions) that may not publish, root included: {users: [], modules:
	// []}. Default none.
	PublisherAclBlacklist map[string]any `yaml:"publisher_acl_blacklist"`
	// ClientAclVerify also makes key files for users of this host that a
	// pattern in publisher_acl means, not for those named in full alone.
	// Default true.
	ClientAclVerify bool `yaml:"client_acl_verify" default:"true"`
	// SudoAcl holds users of sudo to publisher_acl, if there is any. Default false.
	SudoAcl bool `yaml:"sudo_acl" default:"false"`
	// AclMatch is how the expressions of publisher_acl and external_auth for
	// functions and arguments are read: whole, they have to fit all of a name;
	// start, as in Salt, its beginning, so that test.ping also allows what
	// begins so. Set the same on all nodes of a tree. Default whole.
	AclMatch string `yaml:"acl_match" default:"whole" oneof:"whole start"`
	// AclReturners says whether users and minions with rules may choose returners and
	// executors for their jobs (ret, ret_config, ret_kwargs, module_executors,
	// executor_opts): rules, as @returners and @executors in their rules allow; open, as in
	// Salt, any. Set the same on all nodes of a tree. Default rules.
	AclReturners string `yaml:"acl_returners" default:"rules" oneof:"rules open"`
	// ExternalAuth lets users of login services call functions: {service: {user,
	// group% or *: [rules as in publisher_acl, @runner, @wheel]}}. Default none.
	ExternalAuth map[string]any `yaml:"external_auth"`
	// PermissiveAcl gives what external_auth has for * to everybody, not only
	// to users who have no entry by their name. Default false.
	PermissiveAcl bool `yaml:"permissive_acl" default:"false"`
	// EauthTokens names the store of login tokens. Default localfs.
	EauthTokens string `yaml:"eauth_tokens" default:"localfs" oneof:"localfs" unknown:"default"`
	// TokenExpire is the life of a login token, in seconds. Default 43200.
	TokenExpire time.Duration `yaml:"token_expire" unit:"s" default:"43200" min:"1"`
	// TokenExpireUserOverride lets users choose another life of their login tokens:
	// true, or {login service: [user]}. Default false.
	TokenExpireUserOverride Override `yaml:"token_expire_user_override" default:"false"`
	// KeepAclInToken stores a user's rights in the token. Default false.
	KeepAclInToken bool `yaml:"keep_acl_in_token" default:"false"`
	// MineGet holds minions to functions of the mine: {minion id regex: [function regex]}.
	// Default: all may ask for all.
	MineGet map[string]any `yaml:"mine_get"`
	// Peer lets minions publish: {minion id regex: [function regex, or a rule as in
	// publisher_acl]}. The whole id has to fit, and functions as acl_match says. Default none.
	Peer map[string]any `yaml:"peer"`
	// PeerRun lets minions call runners, in the same form. Default none.
	PeerRun map[string]any `yaml:"peer_run"`
}
