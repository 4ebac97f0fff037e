package config

import "time"

// MasterKeys holds the acceptance of keys, encryption and signatures.
type MasterKeys struct {
	// AutoAccept controls whether every new minion key is accepted. Only `true`, `yes` and `on` enable
	// it.
	AutoAccept bool `yaml:"auto_accept" default:"false"`
	// AutosignFile is a file with ids, globs or regular expressions of minions to accept.
	AutosignFile string `yaml:"autosign_file"`
	// AutorejectFile is a file with ids, globs or regular expressions of minions to reject.
	AutorejectFile string `yaml:"autoreject_file"`
	// AutosignGrainsDir is a directory of files named by grains, with the values to accept.
	AutosignGrainsDir string `yaml:"autosign_grains_dir"`
	// AutosignTimeout is the lifetime of a file in `minions_autosign`; `0` for no limit.
	AutosignTimeout time.Duration `yaml:"autosign_timeout" unit:"min" default:"120" min:"0"`
	// MaxMinions is the number of minions that may be connected; `0` for no limit.
	MaxMinions int `yaml:"max_minions" default:"0" min:"0"`
	// MaxPendingKeys is the number of keys that may wait for acceptance; `0` for no limit. An address
	// (IPv6: a /64) gets three quarters of them at most, and after 1000 keys 10 a second. At the
	// limit, the address with the most keys makes room for others. A minion without room retries. Not
	// in Salt.
	MaxPendingKeys int `yaml:"max_pending_keys" default:"50000" min:"0"`
	// AuthMode is the format of sign-in replies. Only `1` is supported.
	AuthMode int `yaml:"auth_mode" default:"1" min:"1" max:"1"`
	// PermissivePkiAccess controls whether the group may read pki_dir.
	PermissivePkiAccess bool `yaml:"permissive_pki_access" default:"false"`
	// AuthEvents controls whether each sign-in fires `salt/auth`.
	AuthEvents bool `yaml:"auth_events" default:"true"`
	// AuthEventsAutosignGrains are the outcomes (`accept`, `pend`, `reject`, `denied`, `full`) for which
	// `salt/auth` shows the grains that the minion sent.
	AuthEventsAutosignGrains []string `yaml:"auth_events_autosign_grains"`
	// MinimumAuthVersion is the oldest version of the request protocol to accept. `0` to `2` admit
	// peers older than 3006.12.
	MinimumAuthVersion int `yaml:"minimum_auth_version" default:"3" min:"0" max:"3"`
	// RequestServerTtl is the greatest age of a request; `0` for no limit.
	RequestServerTtl time.Duration `yaml:"request_server_ttl" unit:"s" default:"0" min:"0"`
	// RotateAesKey controls whether deleting or rejecting a minion key renews the shared key.
	RotateAesKey bool `yaml:"rotate_aes_key" default:"true"`
	// PublishSession is the lifetime of the shared key and of session keys.
	PublishSession time.Duration `yaml:"publish_session" unit:"s" default:"86400" min:"1"`
	// PingOnRotate controls whether all minions are pinged after a rotation of the shared key.
	PingOnRotate bool `yaml:"ping_on_rotate" default:"false"`
	// AllowMinionKeyRevoke controls whether a minion may delete its own key.
	AllowMinionKeyRevoke bool `yaml:"allow_minion_key_revoke" default:"true"`
	// PreserveMinionCache controls whether a minion's data is kept when its key is deleted.
	PreserveMinionCache bool `yaml:"preserve_minion_cache" default:"false"`
	// KeyPass is the passphrase of the master key.
	KeyPass string `yaml:"key_pass" secret:"yes"`
	// SigningKeyPass is the passphrase of the signing key.
	SigningKeyPass string `yaml:"signing_key_pass" secret:"yes"`
	// MasterSignPubkey controls whether sign-in replies have a signature of the master key.
	MasterSignPubkey bool `yaml:"master_sign_pubkey" default:"false"`
	// MasterSignKeyName is the name of the signing key pair.
	MasterSignKeyName string `yaml:"master_sign_key_name" default:"master_sign"`
	// MasterPubkeySignature is the file with a precomputed signature of the master key.
	MasterPubkeySignature string `yaml:"master_pubkey_signature" default:"master_pubkey_signature"`
	// MasterUsePubkeySignature controls whether master_pubkey_signature is sent instead of a new
	// signature.
	MasterUsePubkeySignature bool `yaml:"master_use_pubkey_signature" default:"false"`
	// SignPubMessages controls whether publications are signed.
	SignPubMessages bool `yaml:"sign_pub_messages" default:"true"`
	// PublishSigningAlgorithm is the signature algorithm of publications.
	PublishSigningAlgorithm string `yaml:"publish_signing_algorithm" default:"PKCS1v15-SHA1" oneof:"PKCS1v15-SHA1 PKCS1v15-SHA224"`
	// SignJobs controls whether jobs are signed end to end, for minions with verify_top. See
	// docs/design/signatures.md. Not in Salt.
	SignJobs bool `yaml:"sign_jobs" default:"false"`
	// SignJobsLife is the lifetime of a signature by sign_jobs. Not in Salt.
	SignJobsLife time.Duration `yaml:"sign_jobs_life" unit:"s" default:"3600" min:"1"`
	// RequireMinionSignMessages controls whether unsigned returns are dropped.
	RequireMinionSignMessages bool `yaml:"require_minion_sign_messages" default:"false"`
	// DropMessagesSignatureFail controls whether returns with an invalid signature are dropped.
	DropMessagesSignatureFail bool `yaml:"drop_messages_signature_fail" default:"false"`
}
