// Package redis is Salt's redis returner as a job store, for Redis 6.2, Valkey and their
// clusters.
//
// It reads Salt's redis.* options and uses Salt's keys:
//
//	load:<jid>        the load of a job, JSON
//	ret:<jid>         hash, minion → its return, JSON
//	<minion>:<fun>    jid of the minion's last call of a function
//	minions           set of all minions that have returned
//
// It adds its own. Those of jobs contain no colon, and no minion id contains the slash of a lease's, so
// that no return is stored under them:
//
//	mom/job/<jid>     hash: who was asked and when each return came (see job.go)
//	mom/jobs          sorted set of the jobs by their age
//	mom/lease/<name>  its holder; the key expires at the end of the lease
//
// Keys of a job expire keep_jobs_seconds after the last write, by the server's clock.
//
// [Cache] is Salt's driver redis of the option cache.
//
// Every write is idempotent: the first return of a (jid, id) stays, and so does the first load
// of a job. So several masters may write to one server, and any write may be repeated. Each
// command touches one key, as a cluster requires; a batch is one pipeline. A write is as
// durable as the server makes it (appendfsync). Open does not connect.
package redis
