package zmtp

import "sync"

// Reserve is how many descriptors a process keeps for other things than connections.
const Reserve = 512

// Room is the number of connections that the sockets of one process share: one port
// may have what another does not need. An eighth of it is kept for each, so that
// whoever fills one port leaves some of the other.
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
	giveWay func() bool // ends the connection of a stranger there
}

// NewRoom makes room for as many connections as so many open files allow beyond
// [Reserve], at least 128; 0 means as many as the process may have open.
func NewRoom(files int) *Room {
	if files <= 0 {
		files = openFilesLimit()
	}
	return &Room{total: max(files-Reserve, 128)}
}

// Total is the number of connections that there is room for.
func (r *Room) Total() int { return r.total }

// join makes a seat for one more socket. giveWay ends the connection of an idle stranger
// of it, if there is one.
func (r *Room) join(giveWay func() bool) *seat {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &seat{room: r, giveWay: giveWay}
	r.seats = append(r.seats, s)
	return s
}

// take takes a connection's place. A nil seat has room without end.
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

// othersGiveWay ends the connection of an idle stranger of another socket in the room;
// false: that would make no room here, or there is none.
func (s *seat) othersGiveWay() bool {
	if s == nil {
		return false
	}
	s.room.mu.Lock()
	var others []*seat
	for _, o := range s.room.seats {
		if o != s && o.used > s.room.total/8 { // it needs not what is kept for it
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

// give gives a place back.
func (s *seat) give() {
	if s == nil {
		return
	}
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.room.used--
	s.used--
}
