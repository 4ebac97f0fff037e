// Package eventreturn keeps the events of a master's bus for the database of
// event_return.
//
// Events are owed to the database durably, in batches, under keys that no other
// life of any master uses; so each arrives there once, however often it is
// delivered. Those that are fired faster than they can be stored are lost beyond a
// bound, which is told, and the rest goes on.
package eventreturn
