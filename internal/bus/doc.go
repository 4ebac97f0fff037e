// Package bus carries events: between the parts of one process, and over Salt's
// local sockets to and from other programs of the same host.
//
// Fire never blocks. Each subscriber has a bounded queue; one that does not keep
// up is cut off, finds its channel closed and Lost reporting true, and is
// counted, so that a slow reader costs the others nothing and knows that it has
// missed something. Subscribers by prefix are found through an index, so the
// price of an event does not grow with the number of jobs being followed.
//
// Inside the process an event's data is never cut. Only the bytes that leave
// through the sockets obey max_event_size, as Salt's do: big values become the
// text VALUE_TRIMMED. Those bytes are made on first use and shared by all readers.
package bus
