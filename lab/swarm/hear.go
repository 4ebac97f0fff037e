package swarm

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/internal/crypt"
)

// unopened is a publication that waits for a sign-in.
type unopened struct {
	ctx  context.Context // of the life that heard it
	body []byte
	at   time.Time
}

// maxUnopened bounds the publications that wait for a sign-in.
const maxUnopened = 1000

// hear takes one publication.
func (m *minion) hear(ctx context.Context, body []byte) {
	at := time.Now()
	m.mu.Lock()
	k, waits := m.creds, m.opening
	m.mu.Unlock()
	var o *order
	err := crypt.ErrAuth
	if !waits {
		o, err = k.press.order(body)
	}
	switch {
	case errors.Is(err, crypt.ErrAuth): // the key was rotated
		m.openLater(unopened{ctx, bytes.Clone(body), at})
	case err != nil:
		m.swarm.unread.Add(1)
		m.swarm.trouble("publication cannot be read", "minion", m.id, "err", err)
	default:
		m.take(ctx, o, at)
	}
}

// openLater signs in and opens a publication, beside the reader's small stack.
func (m *minion) openLater(p unopened) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.unopened) == maxUnopened {
		m.swarm.unread.Add(1)
		return
	}
	m.unopened = append(m.unopened, p)
	if m.opening {
		return
	}
	m.opening = true
	m.swarm.work.Go(func() {
		for p, ok := m.nextUnopened(); ok; p, ok = m.nextUnopened() {
			if o, err := m.reopen(p.ctx, p.body); err == nil {
				m.take(p.ctx, o, p.at)
			} else if p.ctx.Err() == nil {
				m.swarm.unread.Add(1)
			}
		}
	})
}

// nextUnopened takes the oldest waiting publication. ok is false if nothing waits: opening has ended.
func (m *minion) nextUnopened() (p unopened, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.unopened) == 0 {
		m.unopened, m.opening = nil, false
		return unopened{}, false
	}
	p = m.unopened[0]
	m.unopened = m.unopened[1:]
	return p, true
}

func (m *minion) reopen(ctx context.Context, body []byte) (*order, error) {
	if o, err := m.keys().press.order(body); err == nil {
		return o, nil
	}
	k, err := m.signInAgain(ctx)
	if err != nil {
		return nil, err
	}
	return k.press.order(body)
}
