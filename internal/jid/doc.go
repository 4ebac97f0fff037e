// Package jid makes and reads Salt's job ids.
//
// A job id is the moment a job was made, in UTC and to the microsecond, as 20
// digits, with the id of the process behind it when the option unique_jid is
// set (Salt wire reference §13.1). The ids of one [Generator] are unique and
// increasing even when the clock stands still or is set back.
package jid
