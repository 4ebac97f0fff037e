package peer

import "syscall"

// ipBindAddressNoPort is IP_BIND_ADDRESS_NO_PORT of Linux (ip(7)).
const ipBindAddressNoPort = 24

func bindNoPort(fd int) error {
	return syscall.SetsockoptInt(fd, syscall.IPPROTO_IP, ipBindAddressNoPort, 1)
}
