package keys

import "log/slog"

// Policy holds the options that rule who may sign in, under Salt's names. The
// zero value keeps every new key pending.
type Policy struct {
	AutoAccept        bool
	OpenMode          bool
	AutosignFile      string // globs and regular expressions, one a line
	AutorejectFile    string
	AutosignGrainsDir string // a file per grain with the values that accept

	// Vouched tells whether a voucher speaks for a key that is new or pending: it
	// is accepted then. nil: none does.
	Vouched func(id, pub string, voucher []byte) bool

	// PermissivePkiAccess trusts signing files that a group may write.
	PermissivePkiAccess bool
	// User the master runs as; his groups count with PermissivePkiAccess.
	User string

	// MaxMinions is the number of connected minions beyond which unknown ones
	// are turned away; 0 means no limit. Connected then tells how many are
	// connected and whether id is one of them; nil means none.
	MaxMinions int
	Connected  func(id string) (total int, connected bool)

	// MaxPending bounds the pending keys; 0 means no limit. The places are shared among
	// the sources of the keys, see waiters. A minion whose key finds no place is told to
	// wait, and comes again.
	MaxPending int

	// AuthEventsAutosignGrains lists the acts (pend, accept, ...) whose
	// events show the grains sent.
	AuthEventsAutosignGrains []string

	Log *slog.Logger
}
