// Package broker holds what the returners for message brokers share: the document of an event, its
// key, and classified failures.
package broker
