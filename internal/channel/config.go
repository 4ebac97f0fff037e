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

// Config says who signs in where, and how strictly. Zero values take the
// defaults of Salt named at each field (Salt wire reference §15).
type Config struct {
	// ID is the minion or syndic id.
	ID string
	// Role is "minion" (default) or "syndic"; it is announced to the master and
	// selects the topics of [Channel.Topics].
	Role string
	// PkiDir holds the identity's own pair, <KeyName>.pem and <KeyName>.pub,
	// and the pinned key of the master.
	PkiDir string
	// KeyName is the stem of the identity's key files. Default "minion".
	KeyName string
	// Keysize is used when the pair has to be made. Default 2048 bits.
	Keysize int
	// KeyPass opens an encrypted private key. Default none.
	KeyPass string
	// Pair is the identity's own pair instead of the files; nil: read or make them.
	Pair *crypt.KeyPair
	// Proof is "salt" under Pair's private key, if it was made before: it is the same
	// for all who share a pair, and costly; nil: it is made.
	Proof []byte
	// PinName is the file that pins the master's key. Default
	// "minion_master.pub", or "syndic_master.pub" for the role syndic.
	PinName string

	// Host and Port are the master's request port. Port's default is 4506.
	Host string
	Port int
	// Option names the option that Host came from, for what an operator is told when it
	// cannot be reached; "": none.
	Option string
	// Dial holds how connections are made; its zero value is usable.
	Dial zmtp.DialConfig

	// EncryptionAlgorithm is asked for in the sign-in. Default OAEP-SHA1.
	EncryptionAlgorithm string
	// SigningAlgorithm is asked for in the sign-in and used for
	// MinionSignMessages. Default PKCS1v15-SHA1.
	SigningAlgorithm string

	// OpenMode accepts a master whose key differs from the pinned one, and pins
	// that one instead.
	OpenMode bool
	// VerifyMasterPubkeySign demands that a key to be pinned is signed by
	// MasterSignKeyName (file <name>.pub in PkiDir; default "master_sign").
	VerifyMasterPubkeySign bool
	// AlwaysVerifySignature checks that signature for an unchanged key too.
	AlwaysVerifySignature bool
	MasterSignKeyName     string
	// MasterFinger is the fingerprint the pinned key must have; "" = any.
	// FingerOption names the option it came from, for errors; default
	// "master_finger", or "syndic_finger" for the role syndic.
	MasterFinger string
	FingerOption string
	// HashType is the hash of MasterFinger. Default sha256.
	HashType string
	// AutosignGrains are sent with the sign-in; nil sends none.
	AutosignGrains *wire.Map

	// Voucher is the word of another master for our key; nil sends none.
	Voucher []byte

	// AuthTimeout bounds one sign-in request (5 s), AuthTries the number of
	// requests of one attempt (7).
	AuthTimeout time.Duration
	AuthTries   int
	// AuthSafemode makes SignIn go on when no request was answered.
	AuthSafemode bool
	// AcceptanceWaitTime is the wait while the key is pending (10 s); it doubles
	// up to AcceptanceWaitTimeMax (default: it does not grow).
	AcceptanceWaitTime    time.Duration
	AcceptanceWaitTimeMax time.Duration
	// RejectedRetry treats a refused key like a pending one.
	RejectedRetry bool

	// RequestTimeout bounds one encrypted request (60 s), RequestTries the
	// number of sends (3).
	RequestTimeout time.Duration
	RequestTries   int

	// ReturnTimeout is the shortest and ReturnTimeoutMax the longest wait for
	// the acknowledgement of a return (5 s, 10 s), to which a second is added
	// for every MiB; each of the ReturnTries sends (3) waits anew.
	ReturnTimeout    time.Duration
	ReturnTimeoutMax time.Duration
	ReturnTries      int

	// SignPubMessages demands a valid signature on every publication.
	SignPubMessages bool
	// MinionSignMessages signs every return with the identity's key.
	MinionSignMessages bool

	// OnSignIn is told of every accepted sign-in. It must not block and must
	// not call the channel's network methods; nil is never called.
	OnSignIn func(Result)

	// Deep runs what needs a deep stack and a processor, and no network: sealing, opening
	// and signing. Who has thousands of channels may let only some do so at once, on other
	// stacks than those on which the rest waits. nil: it is simply called.
	Deep func(func())

	// Log receives what happens; nil = slog.Default().
	Log *slog.Logger
	// Now is the clock; nil = time.Now.
	Now func() time.Time

	tellAfter time.Duration // in tests; 0: the constant
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
	c.tellAfter = or(c.tellAfter, tellAfter)
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
