// Package stream hands one stream of events to many readers, each with a queue of its own.
//
// An event is made once and shared. A reader that is too slow is cut off and told; the
// others notice nothing. The latest events are kept, so that a reader that comes back can
// go on where it was, or is told that it has missed some.
package stream
