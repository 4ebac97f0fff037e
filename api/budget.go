package api

import (
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/momtree/mom/api/lowdata"
)

// What a stranger may use. A request without a valid token is a stranger's. See the table
// in docs/guide/api.md.
const (
	strangerBody     = 64 << 10
	strangerBodyTime = 10 * time.Second
	// strangerRequests bounds requests at work, and strangerShare those of one address.
	strangerRequests, strangerShare = 256, 32
	// strangerBytes bounds what has arrived of their bodies, and strangerBytesEach that of one
	// address. Bodies of smallBody bytes, which logins have, are not counted.
	strangerBytes, strangerBytesEach = 16 << 20, 2 << 20
	smallBody                        = 4 << 10
	// strangerWeight bounds the memory that decoding takes at once.
	strangerWeight = 16 << 20
	// maxSubstreams bounds the requests of one connection of HTTP/2.
	maxSubstreams = 64
	// decodeWait is how long a body waits for its turn to be decoded.
	decodeWait = 10 * time.Second
)

// strangerBounds are what the body of a stranger may hold. Values are counted before any of
// them is decoded.
var strangerBounds = lowdata.Bounds{Values: 2048, Depth: 32, YAML: 16 << 10}

// hookBody and hookBounds hold for webhooks of strangers, where webhook_disable_auth takes
// them: services send more than logins have.
const hookBody = 1 << 20

var hookBounds = lowdata.Bounds{Values: 16 << 10, Depth: 64, YAML: 16 << 10}

// budget is what requests share, strangers apart from users.
type budget struct {
	strangers *supply
	users     *supply
	bytes     *supply // of strangers' bodies
	// decoding is weighted by the memory that it takes.
	decoding, usersDecoding *semaphore.Weighted
	usersWeight             int64
}

func newBudget(o Options) budget {
	weight := max(4*o.MaxBody, 256<<20)
	//mutant:api-in-flight,api-places
	return budget{
		strangers: newSupply(strangerRequests, strangerShare), users: newSupply(o.MaxInFlight, o.MaxInFlight),
		bytes:    newSupply(strangerBytes, strangerBytesEach),
		decoding: semaphore.NewWeighted(strangerWeight), usersDecoding: semaphore.NewWeighted(weight), usersWeight: weight,
	}
}

// held is what a request has taken of a supply.
type held struct {
	from *supply
	who  string
	n    int
	conn *conn
}

// hold takes places for a request, which has them until it releases them.
func (c *call) hold(from *supply, who string, n int) bool {
	if !from.try(who, n) {
		return false
	}
	c.places = append(c.places, held{from: from, who: who, n: n})
	return true
}

// release gives back what the request has taken. Calling it again does nothing.
func (c *call) release() {
	for _, h := range c.places {
		h.from.give(h.who, h.n)
		h.conn.rest()
	}
	c.places = nil
}

var (
	errBusy   = refuse(http.StatusServiceUnavailable, "Too many requests are at work; try again later")
	errNoRoom = refuse(http.StatusServiceUnavailable, "Too many large bodies are being read; try again later")
)

// known reports whether the request has shown a valid token.
func (c *call) known() bool { return c.token.Name != "" }

// enter takes a place among the requests at work, once all of the request has arrived. Users
// and strangers have places of their own.
func (s *Server) enter(c *call) error {
	if c.known() {
		return s.enterUsers(c)
	}
	return s.occupy(c, s.budget.strangers, c.block, placeWait)
}

// placeWait is how long a stranger's request waits for a place.
const placeWait = 2 * time.Second

// enterUsers takes a place among the requests of users.
func (s *Server) enterUsers(c *call) error { return s.occupy(c, s.budget.users, "", 0) }

func (s *Server) occupy(c *call, from *supply, who string, most time.Duration) error {
	if !from.wait(c.ctx, who, 1, most) {
		return errBusy
	}
	c.places = append(c.places, held{from: from, who: who, n: 1})
	if c.link.conn != nil {
		c.link.conn.work()
		c.places[len(c.places)-1].conn = c.link.conn
	}
	return nil
}

// atWork counts the requests at work.
func (s *Server) atWork() int { return s.budget.users.held() + s.budget.strangers.held() }
