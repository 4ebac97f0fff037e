// Package age tells how old things are by a clock that cannot jump.
//
// The wall clock of a machine can: an operator mistypes a date, a time server is
// wrong, a virtual machine sleeps, a battery is empty. Whatever deletes by age asks
// a [Clock] instead. It goes on while the process runs, as fast as the machine's
// monotonic clock, and takes one bounded step over a restart, however far the wall
// clock went meanwhile: what is kept may be kept for too long, never too briefly.
//
// A Clock also watches the wall clock. While that stands somewhere else than it
// should, [Clock.Steady] says no and nothing is to be deleted: until the wall clock
// is back, an operator confirms the new time, or the new time has held for about as
// long as the jump was (see [Options]).
package age
