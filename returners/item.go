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
	DestMySQL        = "mysql"   // the write-behind into SQL
	DestParentPrefix = "parent:" // followed by the name of the master above
	// DestAbove is under which a node owes its returns to the masters above. The forwarder
	// finds out which of them is given each.
	DestAbove = DestParentPrefix + "above"
)

// DestParent is the outbox destination of the parent master named master.
func DestParent(master string) string { return DestParentPrefix + master }

// IsParent tells whether a destination is a master above; a row that is rejected has
// none.
func IsParent(dest string) bool { return strings.HasPrefix(dest, DestParentPrefix) }

// PendingAbove adds up what the masters above are owed, of [SharedOutbox.OutboxDests].
func PendingAbove(dests map[string]int64) (rows int64) {
	for dest, n := range dests {
		if IsParent(dest) {
			rows += n
		}
	}
	return rows
}

// Rejected is the destination under which rows are kept that dest refused.
// They can be read, counted and acknowledged (dropped) like others; they do
// not keep their job from being cleaned.
func Rejected(dest string) string { return rejectedPrefix + dest }

const rejectedPrefix = "rejected:"

// Item is one row of the outbox: something this node still owes to Dest.
//
// When written, a row of kind return or load with a nil Payload refers to the
// stored row (JID and ID), so the bytes are kept once however many destinations
// there are. One of kind expectation (ID is its Node) with a nil Payload gets what
// the batch has changed of that expectation, and nothing that was known before.
// When read, Payload always holds the bytes to send on (the Full of a return, the
// Raw of a load, EncodeExpectation, EncodeEvent, or whatever was given), and for a
// row that was written without one the matching pointer is set.
type Item struct {
	Seq     int64 // set by the store; rises with time, never used twice
	Dest    string
	Kind    Kind
	JID     string
	ID      string
	Payload []byte
	Error   string // why the row was rejected, "" for a row still owed

	Return      *Return
	Load        *Load
	Expectation *Expectation
}
