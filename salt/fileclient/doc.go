// Package fileclient gives the minion access to salt:// files and to files behind http
// addresses. It finds, lists and hashes them, fetches them in pieces into the cache
// (cachedir/files/ENV/PATH, in Salt's layout) or to a destination, and reads them for
// templates.
//
// The files come from the master over the encrypted session (Salt wire reference §8.2) or,
// with file_client: local, from file_roots of this host; both are a [Source]. The package
// guarantees:
//
//   - a fetched file is complete and has the hash that the source reported
//   - nothing is written outside the intended folder, whatever a path, an environment or a
//     master says
//   - a file in the cache is replaced in one step
//   - memory use does not depend on the size of a file
package fileclient
