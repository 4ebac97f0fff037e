package zmtp

import "golang.org/x/sys/unix"

// fionread asks how many bytes wait to be read (tty_ioctl(4), socket(7)).
const fionread = unix.TIOCINQ
