// Package peers runs daemons and commands of this project together with those of an installed
// Salt: it finds the Salts that the environment names, writes configurations that both
// programs read, starts and stops daemons with all their children, runs commands, and records
// the event buses of masters.
//
// lab/interop tests single cases with it, lab/matrix every pair of daemons in contact.
// All errors name the daemon or the command and the condition that was awaited; every wait has a limit.
package peers
