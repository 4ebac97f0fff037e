// Package peers joins daemons and commands of this project with those of an installed
// Salt: it finds the Salts that the environment names, lays out configurations that both
// kinds read, starts and ends daemons with all they fork, runs commands, and records what
// the event buses of masters tell.
//
// lab/interop judges single cases with it, lab/matrix every pair of daemons that touch.
// All errors name the daemon or the command and what was waited for; every wait has a bound.
package peers
