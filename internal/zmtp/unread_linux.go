package zmtp

import "golang.org/x/sys/unix"

// fionread requests the number of unread bytes (tty_ioctl(4), socket(7)).
const fionread = unix.TIOCINQ
