package returners

import "strings"

// Kind says what an outbox row carries.
type Kind = string

// The kinds of outbox rows.
const (
	KindReturn      Kind = "return"
	KindLoad        Kind = "load"
	KindExpectation Kind = "expectation"
	KindEvent       Kind = "event"
)

// Destinations of outbox rows.
const (
	DestMySQL        = "mysql"   // the write-behind into the database of master_job_cache
	DestEventsPrefix = "events:" // followed by the name of a returner of event_return alone
	DestParentPrefix = "parent:" // followed by the name of the master above
	// DestAbove is the destination shared by all parents. The forwarder decides which of them gets
	// each row.
	DestAbove = DestParentPrefix + "above"
)

// DestParent returns the outbox destination of a parent master.
func DestParent(master string) string { return DestParentPrefix + master }

// IsParent reports whether a destination is a parent. The destination of rejected rows is
// not.
func IsParent(dest string) bool { return strings.HasPrefix(dest, DestParentPrefix) }

// IsEvents reports whether a destination is a returner of event_return alone. The destination
// of rejected rows is not.
func IsEvents(dest string) bool { return strings.HasPrefix(dest, DestEventsPrefix) }

// PendingAbove returns the number of rows for parents in [SharedOutbox.OutboxDests].
func PendingAbove(dests map[string]int64) (rows int64) {
	for dest, n := range dests {
		if IsParent(dest) {
			rows += n
		}
	}
	return rows
}

// Rejected returns the destination of rows that dest refused. They are read and acknowledged
// (dropped) like others, but do not keep their job from being cleaned.
func Rejected(dest string) string { return rejectedPrefix + dest }

const rejectedPrefix = "rejected:"

// Item is one row of the outbox, to be delivered to Dest.
//
// When written, a row of kind return or load with a nil Payload refers to the stored row (JID and
// ID), so the bytes are kept once for all destinations. One of kind expectation (ID is its Node)
// with a nil Payload gets what the batch has changed of that expectation. When read, Payload holds
// the bytes to send (the Full of a return, the Raw of a load, EncodeExpectation, EncodeEvent, or
// what was given), and for a row written without one the matching pointer is set.
type Item struct {
	Seq     int64 // set by the store; rises with time, never used twice
	Dest    string
	Kind    Kind
	JID     string
	ID      string
	Payload []byte
	Error   string // why the row was rejected, "" otherwise

	Return      *Return
	Load        *Load
	Expectation *Expectation
}
