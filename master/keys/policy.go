package keys

import "log/slog"

// Policy holds the options for sign-ins, under Salt's names. The zero value keeps every new key
// pending.
type Policy struct {
	AutoAccept        bool
	OpenMode          bool
	AutosignFile      string // globs and regular expressions, one a line
	AutorejectFile    string
	AutosignGrainsDir string // a file per grain with the values that accept

	// Vouched reports whether a voucher is valid for a new or pending key, which is accepted
	// then. Optional.
	Vouched func(id, pub string, voucher []byte) bool

	// PermissivePkiAccess trusts signing files that a group may write.
	PermissivePkiAccess bool
	// User is the user the master runs as; its groups count with PermissivePkiAccess.
	User string

	// MaxMinions is the number of connected minions beyond which unknown ones are refused; 0
	// means no limit. Connected returns the number of connected peers and whether id is one;
	// optional.
	MaxMinions int
	Connected  func(id string) (total int, connected bool)

	// MaxPending bounds the pending keys; 0 means no limit. The places are shared among the
	// sources of the keys, see waiters. A minion without a place gets the answer "wait".
	MaxPending int

	// AuthEventsAutosignGrains lists the acts (pend, accept, ...) whose
	// events show the grains sent.
	AuthEventsAutosignGrains []string

	Log *slog.Logger
}
