package config

import "time"

// MasterKeys holds what a master does with keys and secrets.
type MasterKeys struct {
	// AutoAccept accepts every new minion; only the word true (yes, on)
	// turns it on. Default false.
	AutoAccept bool `yaml:"auto_accept" default:"false"`
	// AutosignFile lists ids (globs, regular expressions) to accept. Default none.
	AutosignFile string `yaml:"autosign_file"`
	// AutorejectFile lists ids to reject. Default none.
	AutorejectFile string `yaml:"autoreject_file"`
	// AutosignGrainsDir holds files named like grains with values to accept. Default none.
	AutosignGrainsDir string `yaml:"autosign_grains_dir"`
	// AutosignTimeout is the life of a file in minions_autosign, in
	// minutes. Default 120.
	AutosignTimeout time.Duration `yaml:"autosign_timeout" unit:"min" default:"120" min:"0"`
	// MaxMinions is the number of minions that may connect; 0 means no
	// limit. Default 0.
	MaxMinions int `yaml:"max_minions" default:"0" min:"0"`
	// MaxPendingKeys is the number of keys that may wait to be accepted. One address
	// (of IPv6, a /64) holds three quarters of them at most, and adds 10 a second after
	// the first 1000; when all are taken, the address that holds the most makes room for
	// another. A minion whose key finds no room waits. 0 means no limit. Ours. Default 50000.
	MaxPendingKeys int `yaml:"max_pending_keys" default:"50000" min:"0"`
	// AuthMode is the form of sign-in replies; only 1 exists. Default 1.
	AuthMode int `yaml:"auth_mode" default:"1" min:"1" max:"1"`
	// PermissivePkiAccess lets the group read pki_dir. Default false.
	PermissivePkiAccess bool `yaml:"permissive_pki_access" default:"false"`
	// AuthEvents fires salt/auth on each sign-in. Default true.
	AuthEvents bool `yaml:"auth_events" default:"true"`
	// MinimumAuthVersion is the oldest request protocol that is answered: 0
	// or 2 lets peers older than 3006.12 in. Default 3.
	MinimumAuthVersion int `yaml:"minimum_auth_version" default:"3" min:"0" max:"3"`
	// RequestServerTtl is the greatest age of a request in seconds; 0 does
	// not look. Default 0.
	RequestServerTtl time.Duration `yaml:"request_server_ttl" unit:"s" default:"0" min:"0"`
	// RotateAesKey renews the shared key when a minion key is deleted or
	// rejected. Default true.
	RotateAesKey bool `yaml:"rotate_aes_key" default:"true"`
	// PublishSession is the life of the shared key and of session keys, in
	// seconds. Default 86400.
	PublishSession time.Duration `yaml:"publish_session" unit:"s" default:"86400" min:"1"`
	// PingOnRotate pings all minions after a rotation. Default false.
	PingOnRotate bool `yaml:"ping_on_rotate" default:"false"`
	// AllowMinionKeyRevoke lets a minion delete its own key. Default true.
	AllowMinionKeyRevoke bool `yaml:"allow_minion_key_revoke" default:"true"`
	// PreserveMinionCache keeps a minion's data when its key is deleted. Default false.
	PreserveMinionCache bool `yaml:"preserve_minion_cache" default:"false"`
	// KeyPass is the passphrase of the master key. Default none.
	KeyPass string `yaml:"key_pass" secret:"yes"`
	// SigningKeyPass is the passphrase of the signing key. Default none.
	SigningKeyPass string `yaml:"signing_key_pass" secret:"yes"`
	// MasterSignPubkey signs the master key in sign-in replies. Default false.
	MasterSignPubkey bool `yaml:"master_sign_pubkey" default:"false"`
	// MasterSignKeyName names the signing key pair. Default master_sign.
	MasterSignKeyName string `yaml:"master_sign_key_name" default:"master_sign"`
	// MasterPubkeySignature names the file of a signature made before.
	// Default master_pubkey_signature.
	MasterPubkeySignature string `yaml:"master_pubkey_signature" default:"master_pubkey_signature"`
	// MasterUsePubkeySignature sends that file instead of signing. Default false.
	MasterUsePubkeySignature bool `yaml:"master_use_pubkey_signature" default:"false"`
	// SignPubMessages signs publications. Default true.
	SignPubMessages bool `yaml:"sign_pub_messages" default:"true"`
	// PublishSigningAlgorithm is the algorithm of that signature. Default PKCS1v15-SHA1.
	PublishSigningAlgorithm string `yaml:"publish_signing_algorithm" default:"PKCS1v15-SHA1" oneof:"PKCS1v15-SHA1 PKCS1v15-SHA224"`
	// SignJobs signs jobs for minions with verify_top, end to end. Default false.
	SignJobs bool `yaml:"sign_jobs" default:"false"`
	// SignJobsLife is how long such a signature is valid, in seconds. Default 3600.
	SignJobsLife time.Duration `yaml:"sign_jobs_life" unit:"s" default:"3600" min:"1"`
	// RequireMinionSignMessages drops returns that are not signed. Default false.
	RequireMinionSignMessages bool `yaml:"require_minion_sign_messages" default:"false"`
	// DropMessagesSignatureFail drops returns with a wrong signature. Default false.
	DropMessagesSignatureFail bool `yaml:"drop_messages_signature_fail" default:"false"`
}
