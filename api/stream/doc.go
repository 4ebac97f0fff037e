// Package stream distributes one stream of events to many readers, each with a queue of its own.
//
// Readers share the data of an event. A reader that is too slow is cut off without an effect on the
// others. The latest events are kept, so that a reader can resume where it was, or learns that it has
// missed some.
package stream
