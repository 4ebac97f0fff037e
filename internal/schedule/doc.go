// Package schedule decides when the jobs in Salt's option schedule are due: by seconds,
// minutes, hours and days, by cron, when and once, with splay, range, skip_during_range, until,
// after, maxrunning and the other fields of Salt's scheduler. It runs nothing and has no clock:
// the caller passes the time to a [Table], which returns the due jobs.
//
// A [Moment] has two times: the wall clock, which people and NTP set, and the age of the
// process, which nobody sets. Intervals use the age, so a jump of the wall clock neither
// repeats nor delays them. If the wall clock jumps over times by cron, when or once, the job
// runs once, however many times it was due. If the wall clock goes back by less than an hour, a
// job does not run a second time; if by more, the new time is accepted.
package schedule
