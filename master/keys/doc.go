// Package keys is the master's knowledge of who may talk to it: an index in
// memory of the key folders under pki_dir, the decision table of a minion's
// sign-in, the replies that follow from it, and the session keys handed out.
//
// It promises that no request scans a folder: lookups are O(1), parsed public
// keys are cached, and the index follows changes made by other processes
// (salt-key, configuration management) by file watching, with a slow full
// reconcile as a safety net. Sources: Salt wire reference §5.2, §6, §7 and §12.1.
package keys
