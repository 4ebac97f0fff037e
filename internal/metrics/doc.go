// Package metrics tells Prometheus and health checks about a daemon: one listener
// with /metrics, /healthz and /readyz.
//
// What a daemon counts is read when somebody asks, from functions it has anyway;
// nothing of Prometheus is in the way of a return or an event. All metrics are in
// one table, [All], so that their names, labels and the page docs/reference/metrics.md
// cannot drift apart. No label has a value that grows with minions or jobs.
package metrics
