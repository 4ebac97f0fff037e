// Package scheduler runs by the clock what the option schedule of a minion, and schedule in
// its pillar, say.
//
// What is due is said by internal/schedule; [Scheduler] runs it as jobs of the minion, and
// gives their results to its masters under ids of its own, so that each is stored once
// however often it has to be sent. [Scheduler.Manage] serves Salt's events manage_schedule,
// by which the execution module schedule changes jobs; what is to stay is saved in
// minion.d/_schedule.conf, in Salt's form.
package scheduler
