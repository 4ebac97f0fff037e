//go:build linux

package chaos

// Stations is the network of namespaces for other labs: n stations that reach each other over
// packets which this process forwards. The process must have entered namespaces of its own ([Enter],
// [Settle]). One station, the host, is the process itself.
type Stations struct {
	sky *sky
	net *tunnels
}

// NewStations creates n stations; host is the number of the one that this process is.
func NewStations(n, host int) (*Stations, error) {
	sky := newSky(n)
	net, err := newTunnels(sky, n, host)
	if err != nil {
		return nil, err
	}
	return &Stations{sky, net}, nil
}

// Address returns the IPv4 address of a station.
func (s *Stations) Address(station int) string { return s.net.address(station, station) }

// Within runs f, which starts a process, inside a station.
func (s *Stations) Within(station int, f func() error) error { return s.net.within(station, f) }

// Cut drops all packets between pairs of stations, both ways, until heal is called.
func (s *Stations) Cut(pairs ...[2]int) (heal func()) {
	var all []edge
	for _, p := range pairs {
		all = append(all, edge{p[0], p[1]}, edge{p[1], p[0]})
	}
	return s.sky.begin(all, Weather{Cut: true})
}

// Close ends the network.
func (s *Stations) Close() error { return s.net.close() }

// FillDisk takes all room of the file system that holds a directory; empty gives it back.
func FillDisk(dir string) (empty func() error, err error) { return fillDisk(dir) }
