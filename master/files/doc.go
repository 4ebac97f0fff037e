// Package files is the file server of a master. It serves minions what is under salt://.
//
// A [Server] asks its backends in the order of fileserver_backend; the first one that has a file
// serves it. Each backend is a package below this one that registers itself: roots (directories of
// this machine), minionfs (files pushed by minions), upstream (files of the parent) and httpfs
// (single files by https). This package holds what they share: parsing of paths and environments,
// which rejects unsafe ones before a backend sees them ([ParsePath]); hashes, cached by content key
// ([File.Key]), so that a file is read once for its hash and not with each request; lists, cached
// for fileserver_list_cache_time; chunks, which take turns ([Server.Read]), so that any number of
// minions may fetch the largest file at once within the memory limit file_bytes; and pushed files
// ([Inbox]).
//
// All input is hostile: paths, environments, prefixes, offsets. For a path that is not served the
// answer is "not found", as in Salt, whatever the reason.
package files
