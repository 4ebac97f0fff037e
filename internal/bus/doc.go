// Package bus carries events between the parts of a process, and over Salt's local sockets to
// and from other programs on the same host.
//
// Fire never blocks. Each subscriber has a bounded queue. A subscriber that does not keep up is
// cut off and counted: its channel is closed and Lost returns true. So a slow reader does not
// affect others, and knows that it has missed events. Subscribers by prefix are found through
// an index, so the cost of an event does not grow with the number of jobs being followed.
//
// Inside the process the data of an event is never cut. Only the bytes that leave through the
// sockets obey max_event_size, as in Salt: large values become the text VALUE_TRIMMED. Those
// bytes are encoded on first use and shared by all readers.
package bus
