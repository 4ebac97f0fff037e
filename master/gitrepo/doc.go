// Package gitrepo stores copies of git repositories for gitfs and the pillar source git.
//
// A [Repo] is the copy of one remote: its objects in packs, as received, and the commits of its
// refs. [Repo.Fetch] uses go-git, over https, http, ssh, git and from local directories. No program
// is started and nothing is checked out. Reads use a [Snapshot], which later fetches do not change:
// after a failed fetch the previous one stays in use, also over a restart.
//
// Remotes are not trusted: before anything is stored, [Limits] bound the bytes, refs and objects
// received and their unpacked size, and a remote must keep sending. Names in a tree that lead
// elsewhere than down ("..", ".git") are not files ([Tree]). Links are followed inside the tree
// only. Submodules are ignored.
package gitrepo
