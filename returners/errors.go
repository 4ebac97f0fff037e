package returners

import "errors"

// Errors a job store reports, wrapped with what, where and what to do.
var (
	// ErrClosed: the store or group was closed.
	ErrClosed = errors.New("job store is closed")
	// ErrFull: no space is left; nothing of the batch was stored.
	ErrFull = errors.New("job store is out of space")
	// ErrCorrupt: the store's file is damaged.
	ErrCorrupt = errors.New("job store is corrupt")
	// ErrNewerSchema: the store was written by a newer version.
	ErrNewerSchema = errors.New("job store has a newer schema")
	// ErrUnavailable: the store cannot be reached now; a retry may help.
	ErrUnavailable = errors.New("job store is unavailable")
	// ErrRejected: the store rejects the row; a retry will not help.
	ErrRejected = errors.New("job store rejects the row")
	// ErrInvalid: the record cannot be stored (no jid, no id, …).
	ErrInvalid = errors.New("invalid row")
	// ErrNoStore: the returner accepts returns of minions but is not a job store.
	ErrNoStore = errors.New("not a job store")
	// ErrNoEvents: the returner keeps no events.
	ErrNoEvents = errors.New("it keeps no events")
	// ErrUnknown: no returner of that name is registered.
	ErrUnknown = errors.New("unknown returner")
)
