package zmtp

import "sync"

// Reserve is the number of descriptors that a process keeps for other purposes than
// connections.
const Reserve = 512

// Room is the number of connections that the sockets of a process share: one port may use what
// another does not need. An eighth is reserved for each socket, so that a crowd on one port
// does not block the other.
type Room struct {
	mu    sync.Mutex
	total int
	used  int
	seats []*seat
}

// seat is the part of one socket.
type seat struct {
	room    *Room
	used    int
	giveWay func() bool // closes the connection of a stranger on it
}

// NewRoom returns a Room for the connections that a number of open files allows beyond
// [Reserve], at least 128; 0 means the process's limit of open files.
func NewRoom(files int) *Room {
	if files <= 0 {
		files = openFilesLimit()
	}
	return &Room{total: max(files-Reserve, 128)}
}

// Total returns the number of connections that fit.
func (r *Room) Total() int { return r.total }

// join adds a socket. giveWay closes the connection of an idle stranger on it, if there is one.
func (r *Room) join(giveWay func() bool) *seat {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &seat{room: r, giveWay: giveWay}
	r.seats = append(r.seats, s)
	return s
}

// take takes a place for a connection. A nil seat has no limit.
func (s *seat) take() bool {
	if s == nil {
		return true
	}
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	//mutant:ports-share-connections
	free, kept := r.total-r.used, r.total/8
	for _, other := range r.seats {
		if other != s {
			free -= max(kept-other.used, 0)
		}
	}
	if free <= 0 {
		return false
	}
	r.used++
	s.used++
	return true
}

// othersGiveWay closes the connection of an idle stranger of another socket in the room. It
// returns false if that would make no room here, or if no stranger is idle.
func (s *seat) othersGiveWay() bool {
	if s == nil {
		return false
	}
	s.room.mu.Lock()
	var others []*seat
	for _, o := range s.room.seats {
		if o != s && o.used > s.room.total/8 { // it uses more than its reserved part
			others = append(others, o)
		}
	}
	s.room.mu.Unlock()
	for _, o := range others {
		if o.giveWay() {
			return true
		}
	}
	return false
}

// give frees a place.
func (s *seat) give() {
	if s == nil {
		return
	}
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.room.used--
	s.used--
}
