// Package session connects a minion to its masters.
//
// A [Session] signs in to one master, subscribes to its publications, says who has
// subscribed, fetches what was missed and the pillar, and signs in again when the
// master has new keys. What is published for this minion it gives to the jobs, and
// it delivers their returns from an outbox. [Sessions] are all of one minion, with
// what they share. Which masters are served, and for how long, others decide.
package session
