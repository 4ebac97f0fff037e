// Package posix is the part of the Unix system interface that the program uses on all systems.
// On Unix it names the types and calls of the system. On Windows it does the same with what
// Windows has: a file has no owner, its mode is that of package os, and a lock is a lock of bytes.
package posix
