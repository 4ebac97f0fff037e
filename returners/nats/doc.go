// Package nats is a returner that publishes events and returns to a stream of NATS JetStream.
//
// The header Nats-Msg-Id is the id of the event, so a stream drops repeats within its window. Messages
// are published in waves: a wave has at most one event of a minion, and the next one waits for all
// acknowledgements. So no event of a minion is stored before an earlier one that failed and is sent
// again.
package nats
