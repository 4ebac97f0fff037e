// Package fileclient is the minion's way to salt:// files, and to files behind
// http addresses: it finds, lists and hashes them, fetches them in pieces into
// the cache (cachedir/files/ENV/PATH, as Salt lays it out) or to where a call
// wants them, and gives them to templates.
//
// The files come from the master over the sealed session (Salt wire reference
// §8.2) or, with file_client: local, from file_roots of this host; both are a
// [Source]. It promises that a file it gives is whole and has the hash that the
// source told, that nothing is ever written outside the place that was meant
// whatever a path, an environment or a master says, that a file in the cache is
// replaced in one step, and that memory stays constant however large a file is.
package fileclient
