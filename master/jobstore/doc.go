// Package jobstore stores the jobs of a master.
//
// Everything that must be durable before an acknowledgement is committed to the embedded store,
// in one transaction with the outbox rows for the parent or SQL. A database named by
// master_job_cache or ext_job_cache is filled from the outbox, so it may be down for any time.
// Queries go to the configured job cache, or to the embedded store while the cache is unreachable.
package jobstore
