// Package brokers tests event_return with real servers in the process of the test: a NATS server with
// JetStream, and a broker with Kafka's protocol. It is a module of its own, so that the modules of the
// servers are not linked into the program.
package brokers
