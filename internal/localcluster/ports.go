package localcluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports are chosen below those that systems use for outgoing connections (32768 on Linux, 49152
// elsewhere): a free port in that range may be in use before the member that must listen on it
// has started.
const (
	firstPort = 12000
	lastPort  = 32000
)

// given are the ports that this process has assigned, whether or not their members listen on
// them yet.
var given = struct {
	sync.Mutex
	ports map[int]bool
}{ports: map[int]bool{}}

// freePorts returns two ports on which nothing listens.
func freePorts() (a, b int, err error) {
	if a, err = FreePort(); err != nil {
		return 0, 0, err
	}
	b, err = FreePort()
	return a, b, err
}

// FreePort returns a port of 127.0.0.1 on which nothing listens and that this process has not
// assigned.
func FreePort() (int, error) {
	given.Lock()
	defer given.Unlock()
	var last error
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if given.ports[port] {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			last = err
			continue
		}
		if err := l.Close(); err != nil {
			return 0, fmt.Errorf("find a free port: %w", err)
		}
		given.ports[port] = true
		return port, nil
	}
	return 0, errors.Join(errors.New("find a free port: 100 tries were in vain"), last)
}
