package localcluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports are taken from below those that systems give to outgoing connections
// (32768 on Linux, 49152 elsewhere): a port of that range that is free now may be
// taken before the member that is to listen there has started.
const (
	firstPort = 12000
	lastPort  = 32000
)

// given are the ports that this process has planned for, whether or not their
// members listen there yet.
var given = struct {
	sync.Mutex
	ports map[int]bool
}{ports: map[int]bool{}}

// freePorts finds two ports that nobody listens on.
func freePorts() (a, b int, err error) {
	if a, err = FreePort(); err != nil {
		return 0, 0, err
	}
	b, err = FreePort()
	return a, b, err
}

// FreePort finds a port of 127.0.0.1 that nobody listens on, and that this process
// has not planned for.
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
