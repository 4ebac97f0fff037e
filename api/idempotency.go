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

// Bounds of what is remembered of requests with an Idempotency-Key.
const (
	maxRepeats     = 4096
	repeatTime     = 24 * time.Hour
	maxRepeatBytes = 64 << 20 // of all answers
	maxKey         = 255
)

// repeatKey returns the Idempotency-Key of a request; "" for none.
func repeatKey(r *http.Request) string { return r.Header.Get("Idempotency-Key") }

// repeatStore remembers the answers to requests with an Idempotency-Key, so that a repeated request
// starts nothing. It is safe for concurrent use.
type repeatStore struct {
	now    func() time.Time
	secret [32]byte

	mu    sync.Mutex
	table map[[32]byte]*repeat
	order [][32]byte // oldest first
	bytes int
}

// repeat is a request with an Idempotency-Key.
type repeat struct {
	body  [32]byte
	at    time.Time
	done  chan struct{} // closed when reply is set, or when there is none to remember
	reply reply
	size  int
	kept  bool
}

func newRepeatStore(now func() time.Time) *repeatStore {
	t := &repeatStore{now: now, table: map[[32]byte]*repeat{}}
	_, _ = rand.Read(t.secret[:]) // it never fails
	return t
}

// scope identifies the key of a user on a route. Users with the same key do not share it, and it
// takes the password as well as the key.
func (t *repeatStore) scope(key, route string, tok Token, logins []client.Login) [32]byte {
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

// begin returns the previous request of the id, or enters this one. It returns nil if there is no
// room because all remembered requests are in progress.
func (t *repeatStore) begin(id, body [32]byte) (r *repeat, mine bool) {
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

// sweep drops expired requests.
func (t *repeatStore) sweep() {
	for len(t.order) > 0 {
		r := t.table[t.order[0]]
		if r != nil && (!r.kept || t.now().Sub(r.at) < repeatTime) {
			return
		}
		t.drop(t.order[0])
		t.order = t.order[1:]
	}
}

func (t *repeatStore) drop(id [32]byte) {
	if r := t.table[id]; r != nil {
		t.bytes -= r.size
		delete(t.table, id)
	}
}

// dropOldest drops the oldest request that was answered.
func (t *repeatStore) dropOldest() bool {
	for i, id := range t.order {
		if r := t.table[id]; r == nil || r.kept {
			t.drop(id)
			t.order = append(t.order[:i:i], t.order[i+1:]...)
			return true
		}
	}
	return false
}

// end remembers the answer if something was started. Otherwise the key is free again.
func (t *repeatStore) end(id [32]byte, r *repeat, rep reply) {
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

// once runs a request and answers, or repeats the answer of the previous request with its key. A
// request with a key continues when the client hangs up, so that the client can ask again. All
// logins were checked during this request. recheck returns nil if they are valid after a wait.
func (t *repeatStore) once(c *call, logins []client.Login, body []byte, recheck func() error, run func(context.Context) reply) error {
	key := repeatKey(c.r)
	if key == "" {
		run(c.ctx).send(c)
		return nil
	}
	if len(key) > maxKey {
		return Refuse(http.StatusBadRequest, "The header Idempotency-Key has more than 255 bytes")
	}
	id, sum := t.scope(key, c.r.Pattern, c.token, logins), sha256.Sum256(append([]byte(c.r.Header.Get("Content-Type")+"\n"), body...))
	r, mine := t.begin(id, sum)
	switch {
	case r == nil:
		return Refuse(http.StatusServiceUnavailable, "Too many requests with an Idempotency-Key are in progress; try again later")
	//mutant:api-repeat-other-body
	case r.body != sum:
		return Refuse(http.StatusUnprocessableEntity, "The Idempotency-Key was used before, for another body")
	case mine:
		rep := reply{status: http.StatusInternalServerError}
		func() {
			defer func() { t.end(id, r, rep) }()
			rep = run(context.WithoutCancel(c.ctx))
		}()
		rep.send(c)
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
		if err := recheck(); err != nil {
			return err
		}
	}
	if !r.kept {
		return Refuse(http.StatusConflict, "The same request was in progress and has failed; send it again")
	}
	c.w.Header().Set("Idempotency-Replayed", "true")
	r.reply.send(c)
	return nil
}
