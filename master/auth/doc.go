// Package auth authenticates users: names and passwords that a login service knows (Salt's
// external_auth), and the tokens issued for them. What users may do is decided elsewhere: auth calls
// [Options.Rules], and refuses users without rules.
//
// Each login service is a [Driver] in its own file, which registers itself. The [Service] opens those
// in the configuration and protects them all: it slows down failed logins by user and by address,
// limits concurrent checks, and bounds their time. A refusal takes about a second whatever its
// reason, and never says whether the name or the password was wrong. No error and no log line has a
// password or a token.
//
// Tokens are files that Salt's programs read and write too. A file that the master does not own, or
// that is not a token, is never accepted.
package auth
