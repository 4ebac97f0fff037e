// Package jid generates and parses Salt's job ids.
//
// A job id is the time at which a job was created, in UTC and to the microsecond, as 20 digits,
// followed by the process id when the option unique_jid is set (Salt wire reference §13.1). The
// ids of one [Generator] are unique and increasing even when the clock stands still or is set
// back.
package jid
