// Package jobstore is where a master keeps its jobs.
//
// What has to be durable before it is acknowledged is committed to the embedded
// store of this node, in one transaction with what the node then owes to others
// (its parent, or SQL). A database named by master_job_cache or ext_job_cache is
// filled from that outbox, so it may be away for as long as it likes. Questions are
// answered by the configured job cache, and from the embedded store while that
// cannot be reached.
package jobstore
