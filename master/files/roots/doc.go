// Package roots serves directories of this machine: it has the backends roots (file_roots) and
// minionfs (files that minions have pushed) of the file server. Other packages use [Tree] to read
// files of environments in the same way (pillar_roots).
//
// A path is looked up in the roots of its environment in order. The first root with a regular file
// there serves it. Symbolic links are followed if their target is in one of the roots of the same
// environment. Others are not served, and logged: a root must not serve /etc/shadow because
// somebody put a link there. To serve such a directory, add it to the roots. Files are opened below
// the root they were found in (os.Root), so a link that changes between the two steps cannot
// escape.
//
// The environment __env__ stands for all that are not configured. In its paths, __env__ is replaced
// by the requested name.
package roots
