// Package power simulates the loss of power: data must be on disk before a daemon acknowledges
// that it is stored.
//
// Real processes of a tree run under a [Recorder]. It sees each change of a file by a system call
// (through seccomp's user notification: it needs no driver and no package, and processes cannot
// bypass it). It records the changes in one order with the promises made meanwhile: a publication
// that was answered, a return that was acknowledged, a key that was accepted. A [Disk] replays that
// record up to any point and writes what a disk may contain when the power fails there. The
// program's own readers then open it, and every promise made before must hold.
//
// # What a loss of power leaves
//
// Only a completed sync counts: of a file for its content and size, of a directory for the names
// in it. That is POSIX, and stricter than ext4, XFS or Btrfs, where the sync of a new file includes
// its name. A rename is atomic, over both directories, as on each of them. Of the rest any part may
// survive, and a [Loss] chooses: nothing, everything, everything up to a point, or each name
// separately and each sector of 512 bytes as it was at a point of its own, the size of the file
// included.
package power
