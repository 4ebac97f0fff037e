// Package gitfs is a backend of the file server that serves the git repositories in gitfs_remotes.
// Branches and tags are environments, and so is each commit by its hash; gitfs_base is the
// environment base. As in Salt, parameters of a remote come before those of saltenv for all
// remotes. They decide which refs are environments, which directory is served, and under which
// path.
//
// Repositories are fetched at their intervals (master/gitrepo). Requests are answered from the last
// fetch and never wait for a remote. Files of up to 1 MiB are read from git objects. Larger ones
// are unpacked once into master/files/copies, by their git hash, so that a chunk in the middle does
// not require reading what precedes it. While a remote was never fetched, a file that it could have
// is an error and not "not found".
package gitfs
