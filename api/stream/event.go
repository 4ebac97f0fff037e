package stream

import "errors"

// Event is an event for readers.
type Event struct {
	// Seq counts the events of a hub from 1; 0 is a notice to one reader.
	Seq uint64
	Tag string
	// For says who may receive it.
	For Audience
	// Data is JSON on one line: {"tag": ..., "data": {...}}. It is shared and read-only.
	Data []byte
}

// Errors of this package.
var (
	// ErrSlow: the reader was too slow and is cut off.
	ErrSlow = errors.New("the reader is too slow")
	// ErrClosed: the hub or the reader is closed.
	ErrClosed = errors.New("the stream is closed")
)

// size is what an event counts for in bytes.
func size(e Event) int { return len(e.Tag) + len(e.Data) }
