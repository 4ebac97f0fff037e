// Package roots serves folders of this machine: the backends roots (file_roots) and minionfs
// (files that minions have pushed) of the file server.
// [Tree] is for whoever reads files of environments in the same way (pillar_roots).
//
// A path is looked up in the roots of its environment in order; the first that has a regular
// file there gives it. Symbolic links are followed as long as what they lead to lies in
// one of the roots of the same environment; others are not served, and the log says so: a
// file of a root must not hand out /etc/shadow because somebody put a link there. Who
// wants such a folder served adds it to the roots. Files are opened below the root they
// were found in (os.Root), so that a link that changes at the wrong moment leads nowhere.
//
// The environment __env__ stands for all that are not named; in its paths, __env__ is
// replaced by the name that is asked for.
package roots
