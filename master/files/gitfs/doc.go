// Package gitfs is a backend of the file server that serves git repositories:
// gitfs_remotes. Branches, tags and, by its hash, each commit are environments; gitfs_base
// is base. What is an environment, which ref it means, and which folder of it is served
// under which path is Salt's: a remote's own parameters, then those of saltenv for all.
//
// Repositories are fetched on their intervals (master/gitrepo); requests are answered from
// what was fetched last and never wait for a remote. Files of up to 1 MiB are read from the
// objects of git; larger ones are unpacked once into master/files/copies, by the hash that
// git has for them, so that a piece in the middle needs nothing before it. A remote of which
// nothing was ever fetched makes what it could have an error and not "not there".
package gitfs
