package power

import "golang.org/x/sys/unix"

// olderCalls are those that this kind of machine has beside the newer ones.
func olderCalls() {
	calls[unix.SYS_OPEN] = func(c *call) { c.opens(c.path(-1, 0), int(c.args[1]), uint32(c.args[2])) }
	calls[unix.SYS_CREAT] = func(c *call) { c.unknown(c.path(-1, 0)) }
	calls[unix.SYS_MKDIR] = func(c *call) { c.makes(c.path(-1, 0), uint32(c.args[1])) }
	calls[unix.SYS_RMDIR] = func(c *call) { c.unlinks(c.path(-1, 0), unix.AT_REMOVEDIR) }
	calls[unix.SYS_UNLINK] = func(c *call) { c.unlinks(c.path(-1, 0), 0) }
	calls[unix.SYS_RENAME] = func(c *call) { c.renames(c.path(-1, 0), c.path(-1, 1), 0) }
	calls[unix.SYS_LINK] = func(c *call) { c.links(c.path(-1, 0), c.path(-1, 1)) }
	calls[unix.SYS_SYMLINK] = func(c *call) { c.unknown(c.path(-1, 1)) }
	calls[unix.SYS_MKNOD] = func(c *call) { c.unknown(c.path(-1, 0)) }
}
