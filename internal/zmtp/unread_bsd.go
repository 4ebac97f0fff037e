//go:build unix && !linux

package zmtp

// fionread requests the number of unread bytes: FIONREAD, _IOR('f', 127, int) on the BSDs and
// macOS, for which the package for system calls has no name.
const fionread = 0x4004667f
