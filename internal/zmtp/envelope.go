package zmtp

import "fmt"

// bareEnvelope is the empty frame that a REQ sends before its body.
var bareEnvelope = appendFrame(nil, flagMore, nil)

// splitEnvelope splits a request into its envelope, encoded for the reply, and its body. The
// envelope is all frames up to and including the first empty one: ZMQ_REQ_CORRELATE puts a
// request id before that, and proxies more.
func splitEnvelope(frames [][]byte) (envelope, body []byte, err error) {
	if len(frames) == 2 && len(frames[0]) == 0 {
		return bareEnvelope, frames[1], nil
	}
	for i, f := range frames {
		envelope = appendFrame(envelope, flagMore, f)
		if len(f) > 0 {
			continue
		}
		if len(frames) != i+2 {
			return nil, nil, fmt.Errorf("%w: %d frames after the empty one, need 1", ErrEnvelope, len(frames)-i-1)
		}
		return envelope, frames[i+1], nil
	}
	return nil, nil, fmt.Errorf("%w: no empty frame among %d", ErrEnvelope, len(frames))
}

// sealCopies is the size from which it is cheaper to write a body separately than to copy it
// into its message.
const sealCopies = 32 << 10

// seal encodes an envelope with a body.
func seal(envelope, body []byte) item {
	if len(body) > sealCopies {
		b := make([]byte, 0, len(envelope)+longHeader)
		return item{wire: appendHeader(append(b, envelope...), 0, len(body)), body: body, messages: 1}
	}
	b := make([]byte, 0, len(envelope)+longHeader+len(body))
	return item{wire: appendFrame(append(b, envelope...), 0, body), messages: 1}
}
