package zmtp

import "sync/atomic"

// Request is a message that requires a reply. The handler must end each with one Reply or Drop:
// until then it holds one of its connection's credits.
type Request struct {
	Peer *Peer
	Body []byte

	router   *Router
	envelope []byte
	charge   *charge
	done     atomic.Bool
}

// Reply sends body on the connection of the request. Only the first call has an effect. It
// never blocks and may be called from any goroutine, even after the connection has ended. The
// body must not be changed afterwards.
func (r *Request) Reply(body []byte) { r.ReplyThen(body, nil) }

// ReplyThen is [Request.Reply] for a caller that accounts for the memory of the body. It calls
// left once, when the system has accepted all of the body or when it will not be sent, even if
// an earlier call has ended the request. left must not block; it may be nil.
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

// Drop ends the request without a reply. A REQ peer then waits in vain, so prefer to reply with
// an error text.
func (r *Request) Drop() {
	if r.done.Swap(true) {
		return
	}
	r.charge.give()
	r.router.dropped.Add(1)
	r.Peer.rest()
	r.Peer.returnCredit()
}
