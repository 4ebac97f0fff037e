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
	// GetReturn reads the return of one minion; false when there is none.
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

// Saver takes the returns of a minion (--return): all that it needs of a returner. Of two
// returns of one (jid, id) the first is kept, where that can be told.
type Saver interface {
	Name() string
	// SaveReturns is durable when it returns nil.
	SaveReturns(ctx context.Context, rets []Return) error
	Close() error
}

// Returner is a job store, which a master can have for its job cache. Every Save is idempotent and durable when it
// returns nil: of two loads of one job the richer is kept, of two returns of
// one (jid, id) the first.
type Returner interface {
	Reader
	Saver

	SaveLoads(ctx context.Context, loads []Load) error
	SaveExpectations(ctx context.Context, exps []Expectation) error
	SaveEvents(ctx context.Context, events []Event) error

	// Clean removes what is older than before, at most about limit rows in one
	// short transaction, and reports how many rows went. Call it again until n
	// is 0. Rows that an outbox still refers to stay, and so do jobs that a note
	// holds; see [HoldingNotes].
	//
	// Before is a time of the clock that ages what is stored: of the embedded store
	// the one it was opened with, of another one the machine's.
	Clean(ctx context.Context, before time.Time, limit int) (n int, err error)
	// Hold lets the age of jobs begin anew, whether they are known or not: what is
	// open, queued or still to be told is held now and then, and so never cleaned.
	Hold(ctx context.Context, jids []string) error

	Ping(ctx context.Context) error
}

// Shared is a returner that several masters write to. It tells ages by its own
// clock, so that the wrong clock of one master removes nothing of the others.
type Shared interface {
	// CleanOlder is Clean for jobs of which nothing was stored, and which nobody
	// held, for as long as keep.
	CleanOlder(ctx context.Context, keep time.Duration, limit int) (n int, err error)
}

// Committer stores a batch in one durable transaction.
type Committer interface {
	Commit(ctx context.Context, b Batch) (Result, error)
}

// Outbox is the durable queue of what this node still owes.
type Outbox interface {
	// OutboxRead reads rows of dest with Seq > after in order: at most limit
	// rows and, beyond the first row, at most maxBytes of payload.
	OutboxRead(ctx context.Context, dest string, after int64, limit, maxBytes int) ([]Item, error)
	// OutboxAck removes delivered rows. Unknown ones are ignored.
	OutboxAck(ctx context.Context, dest string, seqs []int64) error
	// OutboxReject keeps a row aside that dest refuses for good: it is no longer
	// read under dest but under Rejected(dest), with reason as its Error.
	OutboxReject(ctx context.Context, dest string, seq int64, reason string) error
	// OutboxDepth counts the rows of dest and says since when the oldest waits
	// (zero when there is none).
	OutboxDepth(ctx context.Context, dest string) (rows int64, oldest time.Time, err error)
}

// Move says to whom a delivered row is owed still.
type Move struct {
	Seq int64
	To  []string // destinations; none: the row is done
}

// SharedOutbox is an outbox whose rows may be owed to several destinations, one
// after the other: the masters above a node.
type SharedOutbox interface {
	Outbox
	// OutboxMove removes delivered rows of dest, as OutboxAck does, and in the same
	// transaction owes each to the destinations that have not had it, behind all
	// that those are owed. Unknown rows are ignored.
	OutboxMove(ctx context.Context, dest string, rows []Move) error
	// OutboxBackfill owes dest the stored returns of a job, in the order of their
	// minions' ids, and tells how many those are. Where results are not kept it
	// owes none.
	OutboxBackfill(ctx context.Context, dest, jid string) (n int, err error)
	// OutboxForget drops up to limit rows, the oldest first, of a destination that
	// is no more, and tells how many went.
	OutboxForget(ctx context.Context, dest string, limit int) (n int, err error)
	// OutboxDests counts the rows of every destination, rejected ones included. It
	// costs no read.
	OutboxDests() map[string]int64
	// OutboxSize tells how many rows dest is owed and how many bytes they hold.
	// It is asked with every return and costs no read.
	OutboxSize(dest string) (rows, bytes int64)
}

// JobStore is a returner that can also owe: what the embedded store is.
type JobStore interface {
	Returner
	Committer
	SharedOutbox
	NoteReader
	// Outcomes tells who has returned a job, ordered by minion id. It reads no
	// results, however large they are.
	Outcomes(ctx context.Context, jid string) ([]Outcome, error)
	// ReturnsAfter reads returns of a job in the order of minion ids, from the first
	// id behind after on ("": from the first): at most limit and, beyond the first,
	// at most maxBytes of whole returns.
	ReturnsAfter(ctx context.Context, jid, after string, limit, maxBytes int) ([]Return, error)
}
