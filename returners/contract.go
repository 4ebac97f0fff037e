package returners

import (
	"context"
	"time"
)

// Reader is the reading half of a job store.
type Reader interface {
	// GetLoad reads what was published for a job; false when it is unknown.
	GetLoad(ctx context.Context, jid string) (Load, bool, error)
	// GetReturns reads all returns of a job, ordered by minion id.
	GetReturns(ctx context.Context, jid string) ([]Return, error)
	// GetReturn reads the return of one minion; ok is false if it has not returned.
	GetReturn(ctx context.Context, jid, id string) (Return, bool, error)
	// GetExpectations reads who was asked, ordered by node.
	GetExpectations(ctx context.Context, jid string) ([]Expectation, error)
	// ListJobs lists jobs, newest first.
	ListJobs(ctx context.Context, f Filter) ([]Load, error)
	// GetFun reads the last return of each minion for one function.
	GetFun(ctx context.Context, fun string) (map[string]Return, error)
	// Minions lists all minions with a return, sorted.
	Minions(ctx context.Context) ([]string, error)
}

// Saver stores the returns of a minion (--return). If it can detect duplicates, it keeps
// the first of two returns of one (jid, id).
type Saver interface {
	Name() string
	// SaveReturns is durable when it returns nil.
	SaveReturns(ctx context.Context, rets []Return) error
	Close() error
}

// EventSaver stores events (event_return).
type EventSaver interface {
	Name() string
	// SaveEvents is durable when it returns nil. If it can detect duplicates, it keeps the first of
	// two events with one Key. A [*RowsError] says which of the events are stored.
	SaveEvents(ctx context.Context, events []Event) error
	// Ping returns why events cannot be stored now.
	Ping(ctx context.Context) error
	Close() error
}

// Returner is a job store for a master's job cache. Every Save is idempotent, and durable when it
// returns nil: the first return of a (jid, id) and the first load of a job are kept; see [Load].
type Returner interface {
	Reader
	Saver

	SaveLoads(ctx context.Context, loads []Load) error
	SaveExpectations(ctx context.Context, exps []Expectation) error
	// SaveEvents returns ErrNoEvents if the store keeps none.
	SaveEvents(ctx context.Context, events []Event) error

	// Clean removes rows older than before, at most about limit in one short transaction, and
	// returns how many. Call it again until that is 0. Rows that an outbox refers to stay, and so
	// do jobs held by a note; see [HoldingNotes].
	//
	// before is a time of the store's clock of ages: the one it was opened with for the embedded
	// store, the machine's otherwise.
	Clean(ctx context.Context, before time.Time, limit int) (n int, err error)
	// Hold resets the age of jobs, known or not. Open, queued and unreported jobs are held
	// periodically and so never cleaned.
	Hold(ctx context.Context, jids []string) error

	Ping(ctx context.Context) error
}

// Shared is a returner that several masters write to. It measures age by its own clock, so a
// master's wrong clock removes nothing of the others.
type Shared interface {
	// CleanOlder is Clean for jobs that were neither changed nor held for keep.
	CleanOlder(ctx context.Context, keep time.Duration, limit int) (n int, err error)
}

// Committer stores a batch in one durable transaction.
type Committer interface {
	Commit(ctx context.Context, b Batch) (Result, error)
}

// Outbox is the durable queue of rows to be delivered by this node.
type Outbox interface {
	// OutboxRead reads rows of dest with Seq > after in order: at most limit
	// rows and, beyond the first row, at most maxBytes of payload.
	OutboxRead(ctx context.Context, dest string, after int64, limit, maxBytes int) ([]Item, error)
	// OutboxAck removes delivered rows. Unknown ones are ignored.
	OutboxAck(ctx context.Context, dest string, seqs []int64) error
	// OutboxReject sets aside a row that dest refuses permanently: it moves to Rejected(dest), with
	// reason as its Error.
	OutboxReject(ctx context.Context, dest string, seq int64, reason string) error
	// OutboxDepth returns the number of rows of dest and the time of the oldest, zero if there is
	// none.
	OutboxDepth(ctx context.Context, dest string) (rows int64, oldest time.Time, err error)
}

// Move names the further destinations of a delivered row.
type Move struct {
	Seq int64
	To  []string // destinations; none: the row is done
}

// SharedOutbox is an outbox whose rows may go to several destinations, one after the other.
type SharedOutbox interface {
	Outbox
	// OutboxMove removes delivered rows of dest, as OutboxAck does, and in the same transaction
	// appends each to its further destinations. Unknown rows are ignored.
	OutboxMove(ctx context.Context, dest string, rows []Move) error
	// OutboxBackfill appends the stored returns of a job to dest, by minion id, and returns how
	// many. Returns stored without a result are skipped.
	OutboxBackfill(ctx context.Context, dest, jid string) (n int, err error)
	// OutboxForget removes up to limit rows of a destination that no longer exists, oldest first,
	// and returns how many.
	OutboxForget(ctx context.Context, dest string, limit int) (n int, err error)
	// OutboxDests returns the number of rows by destination, rejected ones included. It does no
	// I/O.
	OutboxDests() map[string]int64
	// OutboxSize returns the rows and bytes of dest. It is called for every return and does no I/O.
	OutboxSize(dest string) (rows, bytes int64)
}

// JobStore is a returner with an outbox and notes, such as the embedded store.
type JobStore interface {
	Returner
	Committer
	SharedOutbox
	NoteReader
	// Outcomes returns the minions that have returned a job, by id. It reads no results.
	Outcomes(ctx context.Context, jid string) ([]Outcome, error)
	// ReturnsAfter reads returns of a job in the order of minion ids, from the first
	// id behind after on ("": from the first): at most limit and, beyond the first,
	// at most maxBytes of whole returns.
	ReturnsAfter(ctx context.Context, jid, after string, limit, maxBytes int) ([]Return, error)
}
