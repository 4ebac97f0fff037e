package config

import "time"

// MinionSignIn holds how a minion proves its identity and verifies its master.
type MinionSignIn struct {
	// AuthTimeout is the time limit for a sign-in request.
	AuthTimeout time.Duration `yaml:"auth_timeout" unit:"s" default:"5" min:"0.1"`
	// HandshakeTimeout is the time limit for a master to complete the handshake of a new connection.
	// Not in Salt.
	HandshakeTimeout time.Duration `yaml:"handshake_timeout" unit:"s" default:"5" min:"0.1"`
	// AuthTries is the number of attempts for a sign-in.
	AuthTries int `yaml:"auth_tries" default:"7" min:"1"`
	// AuthSafemode controls whether the minion keeps trying after a sign-in without answer.
	AuthSafemode bool `yaml:"auth_safemode" default:"false"`
	// AcceptanceWaitTime is the time between attempts while the key waits for acceptance.
	AcceptanceWaitTime time.Duration `yaml:"acceptance_wait_time" unit:"s" default:"10" min:"0.1"`
	// AcceptanceWaitTimeMax is the limit up to which acceptance_wait_time doubles; `0` keeps it
	// constant.
	AcceptanceWaitTimeMax time.Duration `yaml:"acceptance_wait_time_max" unit:"s" default:"0" min:"0"`
	// RejectedRetry controls whether the minion keeps trying when its key is rejected, instead of
	// exiting.
	RejectedRetry bool `yaml:"rejected_retry" default:"false"`
	// RandomReauthDelay is the longest random wait before a new sign-in after the master's key
	// changed.
	RandomReauthDelay time.Duration `yaml:"random_reauth_delay" unit:"s" default:"10" min:"0"`
	// MasterFinger is the expected fingerprint of the master key.
	MasterFinger string `yaml:"master_finger"`
	// VerifyMasterPubkeySign controls whether the signature of the master key is verified.
	VerifyMasterPubkeySign bool `yaml:"verify_master_pubkey_sign" default:"false"`
	// AlwaysVerifySignature controls whether the signature of the master key is verified even if the
	// key has not changed.
	AlwaysVerifySignature bool `yaml:"always_verify_signature" default:"false"`
	// MasterSignKeyName is the name of the signing key's file.
	MasterSignKeyName string `yaml:"master_sign_key_name" default:"master_sign"`
	// SignPubMessages controls whether unsigned publications are refused.
	SignPubMessages bool `yaml:"sign_pub_messages" default:"false"`
	// VerifyTop is a list of files with public keys of tops of the tree. The minion runs only jobs
	// that one of them signed (sign_jobs). See docs/design/signatures.md. Not in Salt.
	VerifyTop []string `yaml:"verify_top"`
	// MinionSignMessages controls whether returns are signed.
	MinionSignMessages bool `yaml:"minion_sign_messages" default:"false"`
	// EncryptionAlgorithm is the algorithm that encrypts keys and secrets for the master.
	EncryptionAlgorithm string `yaml:"encryption_algorithm" default:"OAEP-SHA1" oneof:"OAEP-SHA1 OAEP-SHA224"`
	// SigningAlgorithm is the algorithm of signatures.
	SigningAlgorithm string `yaml:"signing_algorithm" default:"PKCS1v15-SHA1" oneof:"PKCS1v15-SHA1 PKCS1v15-SHA224"`
	// AutosignGrains is a list of the grains sent with a sign-in.
	AutosignGrains []string `yaml:"autosign_grains"`
}
