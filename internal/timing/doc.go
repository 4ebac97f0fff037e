// Package timing measures ages by a clock that cannot jump ([Clock]), and sleeps until a context
// ends ([Sleep]).
//
// The wall clock of a machine can jump: an operator mistypes a date, a time server is wrong, a
// virtual machine sleeps, a battery is empty. A [Clock] goes on while the process runs, as fast as
// the machine's monotonic clock, and takes one bounded step over a restart, however far the wall
// clock went meanwhile. So what is deleted by age may be kept for too long, never too briefly.
//
// A Clock also watches the wall clock. While that is wrong, [Clock.Steady] returns false and
// nothing may be deleted, until the wall clock is right again, an operator confirms the new time,
// or the new time has held for about as long as the jump was (see [Options]).
package timing
