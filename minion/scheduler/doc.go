// Package scheduler runs the jobs in the option schedule of a minion, and in schedule in its
// pillar.
//
// Package internal/schedule decides when a job is due. [Scheduler] runs it as a job of the
// minion, and sends its result to the masters under an id of its own, so that each result is
// stored once however often it is sent. [Scheduler.Manage] handles Salt's events
// manage_schedule, by which the execution module schedule changes jobs. Persistent changes are
// saved in minion.d/_schedule.conf, in Salt's form.
package scheduler
