// Package power plays the loss of power: what daemons were told to keep has to be on the disk
// before they say so.
//
// Real processes of a tree run under a [Recorder], which sees each change of a file that one of
// them asks the kernel for (seccomp's user notification: no driver, no package, and nothing that
// a process does can pass it by), in one order with the promises given meanwhile: a publication
// that was answered, a return that was acknowledged, a key that was accepted. A [Disk] plays that
// record up to any point and lays down what a disk may hold when the power goes there; the
// program's own readers then open it, and every promise given before has to be kept.
//
// # What a loss of power leaves
//
// Only a sync that has ended counts: of a file for its content and size, of a folder for the names
// in it. That is POSIX, and stricter than what ext4, XFS or Btrfs do, where the sync of a new file takes
// its name along. A rename is there or not, in both folders, as on each of them. Of the rest
// any part may be there, and a [Loss] chooses: nothing, everything, everything up to a moment, or each
// name for itself and each sector of 512 bytes as it was at a moment of its own, the size of the
// file too.
package power
