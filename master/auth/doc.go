// Package auth tells who somebody is: names and passwords that a login service knows
// (Salt's external_auth), and the tokens that stand for them afterwards (Salt wire
// reference §12.3). What they may do is decided elsewhere; auth asks for it by
// [Options.Rules] alone, and lets nobody in who may do nothing.
//
// Each login service is a [Driver] in a file of its own, which registers itself. The
// [Service] opens those that the configuration names and keeps for all of them what none
// has to think of: failed logins slow down by user and by address, few checks that cost
// much run at once, each has a deadline, a refusal takes about a second whatever its
// reason and never says which of name and password was wrong. No password and no token
// stands in an error or in the log.
//
// Tokens are files that Salt's own programs read and write as well. A file that is none
// of the master's own, or no token, lets nobody in.
package auth
