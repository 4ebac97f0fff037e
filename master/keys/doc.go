// Package keys decides which peers a master accepts: it holds an index in memory of the key folders
// under pki_dir, the rules for a minion's sign-in, its replies, and the session keys.
//
// No request scans a folder. Lookups take constant time, parsed public keys are cached, and the index
// follows changes by other processes (salt-key, configuration management): by file notifications,
// and by a periodic comparison with the disk.
//
// A [Ring] holds all keys of a running master: its own pair, those of its peers, the sessions, and the
// shared key of all minions, which it rotates. [Signatures] signs jobs (sign_jobs) and verifies the
// signatures of returns (minion_sign_messages).
package keys
