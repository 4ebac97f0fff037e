// Package session connects a minion to its masters.
//
// A [Session] signs in to one master, subscribes to its publications, reports which
// subscription is its own, fetches missed publications and the pillar, and signs in again when
// the master has new keys. It passes publications for this minion to the jobs and delivers
// their returns from an outbox. [Sessions] are all sessions of one minion, with what they
// share. Package masters decides which masters are served, and for how long.
package session
