package config

import "time"

// MinionSignIn says how a minion proves itself and checks its master.
type MinionSignIn struct {
	// AuthTimeout is the time for one sign-in request, in seconds. Default 5.
	AuthTimeout time.Duration `yaml:"auth_timeout" unit:"s" default:"5" min:"0.1"`
	// HandshakeTimeout is the time a master has to greet after a connection to it stands,
	// in seconds. Ours. Default 5.
	HandshakeTimeout time.Duration `yaml:"handshake_timeout" unit:"s" default:"5" min:"0.1"`
	// AuthTries is the number of tries of a sign-in. Default 7.
	AuthTries int `yaml:"auth_tries" default:"7" min:"1"`
	// AuthSafemode goes on when the sign-in timed out. Default false.
	AuthSafemode bool `yaml:"auth_safemode" default:"false"`
	// AcceptanceWaitTime is the time between tries while the key waits, in
	// seconds. Default 10.
	AcceptanceWaitTime time.Duration `yaml:"acceptance_wait_time" unit:"s" default:"10" min:"0.1"`
	// AcceptanceWaitTimeMax is the longest such time, to which it grows, in
	// seconds; 0 does not grow. Default 0.
	AcceptanceWaitTimeMax time.Duration `yaml:"acceptance_wait_time_max" unit:"s" default:"0" min:"0"`
	// RejectedRetry waits when the key is rejected instead of ending. Default false.
	RejectedRetry bool `yaml:"rejected_retry" default:"false"`
	// RandomReauthDelay is the longest wait before a new sign-in after the
	// master's key changed, in seconds. Default 10.
	RandomReauthDelay time.Duration `yaml:"random_reauth_delay" unit:"s" default:"10" min:"0"`
	// MasterFinger is the expected fingerprint of the master key. Default none.
	MasterFinger string `yaml:"master_finger"`
	// VerifyMasterPubkeySign checks the signature of the master key. Default false.
	VerifyMasterPubkeySign bool `yaml:"verify_master_pubkey_sign" default:"false"`
	// AlwaysVerifySignature checks it also for an unchanged key. Default false.
	AlwaysVerifySignature bool `yaml:"always_verify_signature" default:"false"`
	// MasterSignKeyName names the file of the signing key. Default master_sign.
	MasterSignKeyName string `yaml:"master_sign_key_name" default:"master_sign"`
	// SignPubMessages refuses publications without a signature. Default false.
	SignPubMessages bool `yaml:"sign_pub_messages" default:"false"`
	// VerifyTop names files with the public keys of the tops of the tree: only
	// jobs that one of these has signed (sign_jobs) are run. Default none.
	VerifyTop []string `yaml:"verify_top"`
	// MinionSignMessages signs returns. Default false.
	MinionSignMessages bool `yaml:"minion_sign_messages" default:"false"`
	// EncryptionAlgorithm encrypts small secrets. Default OAEP-SHA1.
	EncryptionAlgorithm string `yaml:"encryption_algorithm" default:"OAEP-SHA1" oneof:"OAEP-SHA1 OAEP-SHA224"`
	// SigningAlgorithm signs. Default PKCS1v15-SHA1.
	SigningAlgorithm string `yaml:"signing_algorithm" default:"PKCS1v15-SHA1" oneof:"PKCS1v15-SHA1 PKCS1v15-SHA224"`
	// AutosignGrains are the grains sent with a sign-in. Default none.
	AutosignGrains []string `yaml:"autosign_grains"`
}
