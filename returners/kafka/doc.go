// Package kafka is a returner that sends events and returns to a topic of Apache Kafka, or of
// another broker with its protocol.
//
// The key of a record is the id of the event, and its partition that of the minion's id, so
// that the events of a minion keep their order. The producer is idempotent. A batch is sent in
// rounds: each round has at most one record batch per partition, and the next one waits for all
// acknowledgements. So no record of a partition is stored before an earlier one that was refused
// and is sent again.
package kafka
