// Package upstream is a backend of the file server that serves the files of the parent, so that one
// set of files at the top reaches every tier.
//
// It sends the parent the requests of a minion (_file_hash_and_stat, _serve_file, the lists), over
// the existing connection of the node (master/above). The parent may be Salt's. Answers about files
// and environments are cached for upstream_check; concurrent equal requests share one. Contents are
// verified and stored by their hash (master/files/copies): a file crosses the link between two
// tiers once until it changes, whatever the number of minions below.
//
// While the parent is unreachable, its last answers remain valid, and the log says so. Requests
// without a cached answer fail with an error other than "not found".
package upstream
