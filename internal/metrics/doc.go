// Package metrics exposes a daemon to Prometheus and health checks: one listener with /metrics,
// /healthz and /readyz.
//
// Counters are read at each scrape, from functions that the daemon has anyway; returns and
// events never wait for Prometheus. All metrics are in one table, [All], so that names, labels
// and the page docs/reference/metrics.md always agree. No label has values that grow with
// minions or jobs.
package metrics
