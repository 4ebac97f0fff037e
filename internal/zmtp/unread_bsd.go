//go:build unix && !linux

package zmtp

// fionread asks how many bytes wait to be read: FIONREAD, _IOR('f', 127, int) of the
// BSDs and macOS, which the package for system calls does not name there.
const fionread = 0x4004667f
