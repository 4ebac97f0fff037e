// Package findjob asks minions whether a job is running, like Salt, and stock minions who they are.
// The engine decides whom to ask about which job. A [Gatherer] merges questions about one job that
// follow closely into one publication, and [Probes] recognizes the returns that answer them. [Who]
// identifies the minion behind a connection.
package findjob
