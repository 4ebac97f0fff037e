// Package files is the file server of a master: what minions get under salt://.
//
// A [Server] asks its backends in the order of fileserver_backend; the first that has a
// file gives it. Each backend is a package below this one that registers itself: roots
// (folders of this machine), minionfs (what minions have pushed), upstream (what the master
// above serves) and httpfs (single files by https). What they have in common is
// here: the paths and environments that are asked for, and which of those are refused
// before any backend hears of them ([ParsePath]); hashes, which are kept by what tells
// a content from another ([File.Key]), so that a file is read once for its hash and not
// with each request; lists, which are kept for fileserver_list_cache_time; chunks, which
// take turns ([Server.Read]), so that any number of minions may fetch the largest file
// at once and memory stays within the bound file_bytes; and what minions push ([Inbox]).
//
// Everything that comes in is hostile: a path, an environment, a prefix, an offset. A path
// that is not served is "not found", as Salt has it, whatever the reason.
package files
