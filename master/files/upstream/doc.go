// Package upstream is a backend of the file server that serves what the master above
// serves, so that one tree of files at the top reaches every tier.
//
// The master above is asked as a minion asks (_file_hash_and_stat, _serve_file, the lists),
// over the connection that the node has to it anyway (master/above); it may be Salt's. What
// it says of a file or an environment is taken for true for upstream_check; many that ask
// for the same at once are one question. Contents are kept by their hash (master/files/copies) and
// verified: a file crosses the link between two tiers once, whatever the number of minions
// below, until it changes.
//
// While master above unreachable, what it has said last goes on being true, and the log
// says so; what is not known is not "not there", but cannot be answered.
package upstream
