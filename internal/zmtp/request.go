package zmtp

import "sync/atomic"

// Request is a message that wants a reply. Each must end with one Reply or Drop:
// until then it holds one of its connection's credits.
type Request struct {
	Peer *Peer
	Body []byte

	router   *Router
	envelope []byte
	charge   *charge
	done     atomic.Bool
}

// Reply sends body back over the connection the request came from. Only the
// first call counts. It never waits and may be called from any goroutine, also
// when the connection is gone. The body must not be changed afterwards.
func (r *Request) Reply(body []byte) { r.ReplyThen(body, nil) }

// ReplyThen is [Request.Reply] for a body whose memory somebody counts: left is called
// once, when the system has taken all of it or it will not be sent any more, also where
// an earlier call has ended the request. It must not block. nil: nobody counts.
func (r *Request) ReplyThen(body []byte, left func()) {
	if left == nil {
		left = func() {}
	}
	if r.done.Swap(true) {
		left()
		return
	}
	r.charge.give()
	it := seal(r.envelope, body)
	it.left = left
	if err := r.Peer.out.put(it); err != nil {
		left()
		r.router.lostReplies.Add(1)
		r.Peer.close(err)
		return
	}
	r.router.replies.Add(1)
}

// Drop ends the request without a reply. A REQ peer then waits in vain, so an
// error text is kinder wherever there is one to give.
func (r *Request) Drop() {
	if r.done.Swap(true) {
		return
	}
	r.charge.give()
	r.router.dropped.Add(1)
	r.Peer.rest()
	r.Peer.returnCredit()
}
