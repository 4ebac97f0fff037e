// Package schedule decides when Salt's option schedule has a function run: by seconds,
// minutes, hours and days, by cron, when and once, with splay, range, skip_during_range,
// until, after, maxrunning and what else Salt's scheduler knows. It runs nothing and has
// no clock: a [Table] is told what time it is, and says what is due.
//
// It is told two times at once: that of the wall, which people and NTP set, and the age of
// the process, which nobody sets. Intervals are counted by the age, so that a wall clock
// that jumps neither runs them many times over nor holds them back. What is due by the wall
// (cron, when, once) runs once if the clock jumps over it, however many times it was due
// in between; and what has run is not run a second time by a clock that goes back by less
// than an hour, while one that goes back further is believed.
package schedule
