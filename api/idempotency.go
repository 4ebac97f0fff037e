package api

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// reply is what a request that starts something is answered.
type reply struct {
	status int
	value  any
	jids   []string // of what was started
}

// Bounds of what is remembered of requests with an Idempotency-Key.
const (
	maxRepeats     = 4096
	repeatTime     = 24 * time.Hour
	maxRepeatBytes = 64 << 20 // of all answers
	maxKey         = 255
)

// repeats remembers what was answered to requests with an Idempotency-Key, so that one that
// is sent again starts nothing.
type repeats struct {
	now    func() time.Time
	secret [32]byte

	mu    sync.Mutex
	table map[[32]byte]*repeat
	order [][32]byte // oldest first
	bytes int
}

// repeat is one such request.
type repeat struct {
	body  [32]byte
	at    time.Time
	done  chan struct{} // closed once reply is there, or is not to be remembered
	reply reply
	size  int
	kept  bool
}

func newRepeats(now func() time.Time) *repeats {
	r := &repeats{now: now, table: map[[32]byte]*repeat{}}
	_, _ = rand.Read(r.secret[:]) // it never fails
	return r
}

// scope is whose key it is: two users with the same key do not meet, nor somebody who has
// the key and not the password.
func (t *repeats) scope(key, route string, tok Token, logins []client.Login) [32]byte {
	h := hmac.New(sha256.New, t.secret[:])
	part := func(s string) {
		h.Write([]byte(s))
		h.Write([]byte{0xff})
	}
	part(key)
	part(route)
	if tok.Name != "" {
		part("token")
		//mutant:api-repeat-of-another
		part(tok.Name)
		part(tok.Eauth)
	}
	for _, l := range logins {
		if tok.Name != "" && l.Token == tok.Token && l.Username == "" {
			part("its own")
			continue
		}
		part(l.Token)
		part(l.Eauth)
		part(l.Username)
		//mutant:api-repeat-wrong-password
		part(l.Password)
	}
	return [32]byte(h.Sum(nil))
}

// begin finds the request of before, or enters this one; nil where there is no room, since
// all that is remembered is at work.
func (t *repeats) begin(id, body [32]byte) (r *repeat, mine bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
	if r := t.table[id]; r != nil {
		return r, false
	}
	if len(t.table) >= maxRepeats && !t.dropOldest() {
		return nil, false
	}
	r = &repeat{body: body, at: t.now(), done: make(chan struct{})}
	t.table[id] = r
	t.order = append(t.order, id)
	return r, true
}

// sweep forgets what is past its time.
func (t *repeats) sweep() {
	for len(t.order) > 0 {
		r := t.table[t.order[0]]
		if r != nil && (!r.kept || t.now().Sub(r.at) < repeatTime) {
			return
		}
		t.drop(t.order[0])
		t.order = t.order[1:]
	}
}

func (t *repeats) drop(id [32]byte) {
	if r := t.table[id]; r != nil {
		t.bytes -= r.size
		delete(t.table, id)
	}
}

// dropOldest forgets the oldest request that is answered.
func (t *repeats) dropOldest() bool {
	for i, id := range t.order {
		if r := t.table[id]; r == nil || r.kept {
			t.drop(id)
			t.order = append(t.order[:i:i], t.order[i+1:]...)
			return true
		}
	}
	return false
}

// end remembers what was answered, if something was started; else the key is free again.
func (t *repeats) end(id [32]byte, r *repeat, rep reply) {
	size := 0
	if b, err := encode(asJSON, rep.value); err == nil {
		size = len(b)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if rep.status >= http.StatusBadRequest && len(rep.jids) == 0 {
		t.drop(id)
		//mutant:api-refused-are-forgotten
		if at := slices.Index(t.order, id); at >= 0 {
			t.order = slices.Delete(t.order, at, at+1)
		}
	} else {
		if size > maxRepeatBytes/16 {
			rep.value = value.NewMap("return", []any{}, "jobs", rep.jids, "note", "the answer was too large to be kept; see /jobs/JID")
			size = 1 << 10
		}
		r.reply, r.size, r.kept = rep, size, true
		t.bytes += size
		for t.bytes > maxRepeatBytes && t.dropOldest() {
			continue
		}
	}
	close(r.done)
}

// once runs what a request asks for and answers, or, for a key that was there before,
// answers as then. What was begun goes on when whoever asked hangs up, so that asking
// again finds it. All logins were looked up before, in this request; still says whether they
// are valid after a wait. nil: they are those of tok.
func (s *Server) once(c *call, tok Token, logins []client.Login, body []byte, still func() error, run func(context.Context) reply) error {
	key := c.r.Header.Get("Idempotency-Key")
	if key == "" {
		rep := run(c.ctx)
		s.reply(c, rep)
		return nil
	}
	if len(key) > maxKey {
		return refuse(http.StatusBadRequest, "The header Idempotency-Key has more than 255 bytes")
	}
	id, sum := s.repeat.scope(key, c.r.Pattern, tok, logins), sha256.Sum256(append([]byte(c.r.Header.Get("Content-Type")+"\n"), body...))
	r, mine := s.repeat.begin(id, sum)
	switch {
	case r == nil:
		return refuse(http.StatusServiceUnavailable, "Too many requests with an Idempotency-Key are at work; try again later")
	//mutant:api-repeat-other-body
	case r.body != sum:
		return refuse(http.StatusUnprocessableEntity, "The Idempotency-Key was used before, for another body")
	case mine:
		rep := reply{status: http.StatusInternalServerError}
		func() {
			defer func() { s.repeat.end(id, r, rep) }()
			rep = run(context.WithoutCancel(c.ctx))
		}()
		s.reply(c, rep)
		return nil
	}
	select {
	case <-r.done:
	default:
		select {
		case <-r.done:
		case <-c.ctx.Done():
			return c.ctx.Err()
		}
		if still == nil {
			still = func() error {
				_, err := s.lookUp(c, tok.Token)
				return err
			}
		}
		if err := still(); err != nil {
			return err
		}
	}
	if !r.kept {
		return refuse(http.StatusConflict, "The same request was at work and has failed; send it again")
	}
	c.w.Header().Set("Idempotency-Replayed", "true")
	s.reply(c, r.reply)
	return nil
}

// reply answers, with links to the jobs that were started.
func (s *Server) reply(c *call, rep reply) {
	h := c.w.Header()
	for i, jid := range rep.jids {
		if i == 16 {
			break
		}
		if jid != "" {
			h.Add("Link", "<"+s.o.Root+"/jobs/"+jid+">; rel=\"monitor\"")
		}
	}
	switch rep.status {
	case http.StatusUnauthorized:
		h.Set("Www-Authenticate", "Session")
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "5")
	}
	s.answer(c.w, c.r, rep.status, rep.value)
}
