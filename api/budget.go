package api

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/momtree/mom/api/lowdata"
)

// What a stranger may use. A request without a valid token is a stranger's. See the table in
// docs/guide/api.md.
const (
	// strangerRequests bounds requests in progress, and strangerShare those of one address.
	strangerRequests, strangerShare = 256, 32
	// strangerBytes bounds the arrived bytes of bodies, and strangerBytesEach those of one address.
	// Bodies of smallBody bytes, which logins have, do not count.
	strangerBytes, strangerBytesEach = 16 << 20, 2 << 20
	smallBody                        = 4 << 10
	// strangerWeight bounds the memory that decoding takes at once.
	strangerWeight = 16 << 20
	// decodeWait is how long a body waits to be decoded.
	decodeWait = 10 * time.Second
	// placeWait is how long a stranger's request waits for a place.
	placeWait = 2 * time.Second
)

// budget is what requests share, strangers apart from users.
type budget struct {
	strangers *quota
	users     *quota
	bytes     *quota // of strangers' bodies
	// decoding is weighted by the memory that it takes.
	decoding, usersDecoding *semaphore.Weighted
	usersWeight             int64
}

func newBudget(maxInFlight int, maxBody int64) *budget {
	weight := max(4*maxBody, 256<<20)
	//mutant:api-in-flight,api-places
	return &budget{
		strangers: newQuota(strangerRequests, strangerShare), users: newQuota(maxInFlight, maxInFlight),
		bytes:    newQuota(strangerBytes, strangerBytesEach),
		decoding: semaphore.NewWeighted(strangerWeight), usersDecoding: semaphore.NewWeighted(weight), usersWeight: weight,
	}
}

var (
	errBusy   = Refuse(http.StatusServiceUnavailable, "Too many requests are in progress; try again later")
	errNoRoom = Refuse(http.StatusServiceUnavailable, "Too many large bodies are being read; try again later")
)

// enter takes a place for a request that has arrived as a whole. Users and strangers have places
// of their own.
func (b *budget) enter(c *call) error {
	if c.known() {
		return b.enterUser(c)
	}
	if !c.holdWork(b.strangers, c.block, placeWait) {
		return errBusy
	}
	return nil
}

// enterUser takes a place for a request of a user.
func (b *budget) enterUser(c *call) error {
	if !c.holdWork(b.users, "", 0) {
		return errBusy
	}
	return nil
}

// weigh waits until there is memory for a body to be decoded.
func (b *budget) weigh(c *call, weight int64) (done func(), err error) {
	sem, all := b.decoding, int64(strangerWeight)
	if c.known() {
		sem, all = b.usersDecoding, b.usersWeight
	}
	if weight > all {
		return nil, lowdata.ErrTooLarge
	}
	ctx, cancel := context.WithTimeout(c.ctx, decodeWait)
	defer cancel()
	//mutant:api-weight
	if sem.Acquire(ctx, weight) != nil {
		return nil, errNoRoom
	}
	return func() { sem.Release(weight) }, nil
}

// inProgress returns the number of requests in progress.
func (b *budget) inProgress() int { return b.users.inUse() + b.strangers.inUse() }
