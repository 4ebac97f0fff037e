package channel

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// Config configures a [Channel]. Zero values mean Salt's defaults, which each field names (Salt
// wire reference §15).
type Config struct {
	// ID is the minion or syndic id.
	ID string
	// Role is "minion" (default) or "syndic". It is sent to the master and selects the topics
	// of [Channel.Topics].
	Role string
	// PkiDir holds the identity's own pair, <KeyName>.pem and <KeyName>.pub,
	// and the pinned key of the master.
	PkiDir string
	// KeyName is the stem of the identity's key files. Default "minion".
	KeyName string
	// Keysize is the size of a new key pair in bits. Default 2048.
	Keysize int
	// KeyPass is the passphrase of an encrypted private key. Default none.
	KeyPass string
	// Pair is the identity's own pair. If nil, it is read from the files, or made.
	Pair *crypt.KeyPair
	// Proof is "salt" encrypted under Pair's private key. It is costly to make and the same for
	// all who share a pair. If nil, it is made.
	Proof []byte
	// PinName is the file with the pinned key of the master. Default "minion_master.pub", or
	// "syndic_master.pub" for the role syndic.
	PinName string

	// Host and Port are the address of the master's request port. Port defaults to 4506.
	Host string
	Port int
	// Option is the name of the option that Host came from, for log lines and errors when the
	// master cannot be reached; "" if none.
	Option string
	// Dial configures connections; its zero value is usable.
	Dial zmtp.DialConfig

	// EncryptionAlgorithm is requested in the sign-in. Default OAEP-SHA1.
	EncryptionAlgorithm string
	// SigningAlgorithm is requested in the sign-in and used for MinionSignMessages. Default
	// PKCS1v15-SHA1.
	SigningAlgorithm string

	// OpenMode accepts a master whose key differs from the pinned one, and pins the new key.
	OpenMode bool
	// VerifyMasterPubkeySign requires that a key is signed by MasterSignKeyName (file
	// <name>.pub in PkiDir; default "master_sign") before it is pinned.
	VerifyMasterPubkeySign bool
	// AlwaysVerifySignature checks that signature also when the key is unchanged.
	AlwaysVerifySignature bool
	MasterSignKeyName     string
	// MasterFinger is the required fingerprint of the pinned key; "" means any. FingerOption is
	// the name of its option, for errors; default "master_finger", or "syndic_finger" for the
	// role syndic.
	MasterFinger string
	FingerOption string
	// HashType is the hash of MasterFinger. Default sha256.
	HashType string
	// AutosignGrains are sent with the sign-in; nil sends none.
	AutosignGrains *wire.Map

	// Voucher is another master's voucher for this identity's key; nil sends none.
	Voucher []byte

	// AuthTimeout bounds a sign-in request (5 s), AuthTries the number of requests per attempt
	// (7).
	AuthTimeout time.Duration
	AuthTries   int
	// AuthSafemode makes SignIn continue when no request was answered.
	AuthSafemode bool
	// AcceptanceWaitTime is the wait while the key is pending (10 s); it doubles
	// up to AcceptanceWaitTimeMax (default: it does not grow).
	AcceptanceWaitTime    time.Duration
	AcceptanceWaitTimeMax time.Duration
	// RejectedRetry treats a rejected key like a pending one.
	RejectedRetry bool

	// RequestTimeout bounds an encrypted request (60 s), RequestTries the number of sends (3).
	RequestTimeout time.Duration
	RequestTries   int

	// ReturnTimeout and ReturnTimeoutMax are the shortest and the longest wait for the
	// acknowledgement of a return (5 s, 10 s). One second is added for each MiB. The wait
	// applies to each of the ReturnTries sends (3).
	ReturnTimeout    time.Duration
	ReturnTimeoutMax time.Duration
	ReturnTries      int

	// SignPubMessages requires a valid signature on every publication.
	SignPubMessages bool
	// MinionSignMessages signs every return with the identity's key.
	MinionSignMessages bool

	// OnSignIn is called for every accepted sign-in, if not nil. It must not block and must not
	// call the channel's network methods.
	OnSignIn func(Result)

	// Deep runs functions that need a deep stack and CPU time but no network: sealing, opening
	// and signing. A process with thousands of channels can limit how many run at once and run
	// them on separate stacks. If nil, functions are called directly.
	Deep func(func())

	// Log is the logger; nil means slog.Default().
	Log *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	logAfter time.Duration // for tests; 0 means the constant
}

func (c Config) withDefaults() Config {
	c.Role = or(c.Role, "minion")
	syndic := c.Role == "syndic"
	c.KeyName = or(c.KeyName, "minion")
	c.Keysize = or(c.Keysize, 2048)
	c.Port = or(c.Port, 4506)
	c.EncryptionAlgorithm = or(c.EncryptionAlgorithm, crypt.OAEPSHA1)
	c.SigningAlgorithm = or(c.SigningAlgorithm, crypt.PKCS1SHA1)
	c.MasterSignKeyName = or(c.MasterSignKeyName, "master_sign")
	c.HashType = or(c.HashType, "sha256")
	c.AuthTimeout = or(c.AuthTimeout, 5*time.Second)
	c.AuthTries = or(c.AuthTries, 7)
	c.AcceptanceWaitTime = or(c.AcceptanceWaitTime, 10*time.Second)
	c.AcceptanceWaitTimeMax = max(c.AcceptanceWaitTime, c.AcceptanceWaitTimeMax)
	c.RequestTimeout = or(c.RequestTimeout, time.Minute)
	c.RequestTries = or(c.RequestTries, 3)
	c.ReturnTimeout = or(c.ReturnTimeout, 5*time.Second)
	c.ReturnTimeoutMax = max(or(c.ReturnTimeoutMax, 10*time.Second), c.ReturnTimeout)
	c.ReturnTries = or(c.ReturnTries, 3)
	c.Log = or(c.Log, slog.Default())
	c.logAfter = or(c.logAfter, logAfter)
	if syndic {
		c.PinName = or(c.PinName, "syndic_master.pub")
		c.FingerOption = or(c.FingerOption, "syndic_finger")
	}
	c.PinName = or(c.PinName, "minion_master.pub")
	c.FingerOption = or(c.FingerOption, "master_finger")
	if c.Deep == nil {
		c.Deep = func(f func()) { f() }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

func (c Config) validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if c.ID == "" || strings.ContainsAny(c.ID, "/\\\x00") || c.ID == "." || c.ID == ".." {
		fault("id %q cannot be used: it must be non-empty and hold no slash, backslash or NUL", c.ID)
	}
	if c.Role != "minion" && c.Role != "syndic" {
		fault("role %q is unknown: use minion or syndic", c.Role)
	}
	if c.PkiDir == "" {
		fault("pki_dir is empty: name the folder of the keys")
	}
	if c.Host == "" {
		fault("master is empty: name the host of the master")
	}
	if c.Port < 1 || c.Port > 65535 {
		fault("master_port %d is no port: use 1 to 65535", c.Port)
	}
	if a := c.EncryptionAlgorithm; a != crypt.OAEPSHA1 && a != crypt.OAEPSHA224 {
		fault("encryption_algorithm %q is unknown: use %s or %s", a, crypt.OAEPSHA1, crypt.OAEPSHA224)
	}
	if a := c.SigningAlgorithm; a != crypt.PKCS1SHA1 && a != crypt.PKCS1SHA224 {
		fault("signing_algorithm %q is unknown: use %s or %s", a, crypt.PKCS1SHA1, crypt.PKCS1SHA224)
	}
	return errors.Join(faults...)
}

func (c Config) addr() string     { return net.JoinHostPort(c.Host, strconv.Itoa(c.Port)) }
func (c Config) pinPath() string  { return filepath.Join(c.PkiDir, c.PinName) }
func (c Config) signPath() string { return filepath.Join(c.PkiDir, c.MasterSignKeyName+".pub") }
