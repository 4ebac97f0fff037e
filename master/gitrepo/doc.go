// Package gitrepo keeps copies of git repositories for a master: gitfs and the pillar
// source git read them.
//
// A [Repo] is the copy of one remote: its objects in packs, as they came, and which ref
// means which commit. [Repo.Fetch] asks the remote by go-git, over https, http, ssh, git and
// from folders of this machine; no program is started and nothing is ever checked out. What
// is read is a [Snapshot], which no later fetch changes; so a fetch that fails leaves what
// the last one has brought, over a restart as well.
//
// A remote is not trusted further than its files are: what it sends is bounded ([Limits]) in
// bytes, refs, objects and in what they unpack to, before it is kept, and it has to go on
// sending. Names of a tree that lead elsewhere than down ("..", ".git") are no files
// ([Tree]), links are followed within the tree alone, and submodules are not looked into.
package gitrepo
