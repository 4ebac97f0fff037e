package channel

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

// signInOp is the Op of errors of a sign-in.
const signInOp = "sign in"

// protocol is the request protocol version that this package tries first.
const protocol = 3

// attempt is a sign-in in progress, shared by all callers.
type attempt struct {
	done chan struct{}
	res  Result
	err  error
}

// SignIn signs in. It retries until ctx ends while the key is pending, while the master is full
// or not ready, and, if RejectedRetry is set, while the key is rejected. Concurrent calls share
// the requests.
func (c *Channel) SignIn(ctx context.Context) (Result, error) {
	wait, pending := c.cfg.AcceptanceWaitTime, false
	for {
		res, err := c.Attempt(ctx)
		if err == nil && pending { // the wait was logged as a warning, so log its end
			c.log.Warn("key accepted by master", "id", c.cfg.ID)
		}
		if err == nil || !c.worthWaiting(err) {
			return res, err
		}
		pending = pending || errors.Is(err, ErrPending)
		// A tenth of jitter spreads the retries of many pending minions.
		pause := wait + rand.N(wait/10+1)
		c.log.Warn("sign-in pending", "id", c.cfg.ID, "wait", pause, "err", err)
		if timing.Sleep(ctx, pause) != nil {
			return Result{}, err
		}
		wait = min(2*wait, c.cfg.AcceptanceWaitTimeMax)
	}
}

func (c *Channel) worthWaiting(err error) bool {
	return errors.Is(err, ErrPending) || errors.Is(err, ErrFull) || errors.Is(err, ErrNotReady) || errors.Is(err, ErrUnproven) ||
		c.cfg.AuthSafemode && errors.Is(err, ErrNoAnswer) ||
		c.cfg.RejectedRetry && errors.Is(err, ErrRejected)
}

// Attempt signs in once. It returns [ErrPending] for a pending key. It ends after AuthTries
// requests of AuthTimeout each, or with ctx.
func (c *Channel) Attempt(ctx context.Context) (Result, error) {
	a, _ := c.join()
	select {
	case <-a.done:
		return a.res, a.err
	case <-ctx.Done():
		return Result{}, c.fail("sign in", ctx.Err(), "", "")
	}
}

// join returns the sign-in in progress, starting one if necessary; joined reports whether it
// was already in progress.
func (c *Channel) join() (a *attempt, joined bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		return c.running, true
	}
	a = &attempt{done: make(chan struct{})}
	if c.ctx.Err() != nil {
		a.err = c.fail("sign in", ErrClosed, "", "")
		close(a.done)
		return a, false
	}
	c.running = a
	go func() {
		k, err := c.signIn(c.ctx)
		c.mu.Lock()
		c.running = nil
		if err == nil {
			a.res = c.store(k)
		}
		a.err = err
		c.mu.Unlock()
		if err == nil && c.cfg.OnSignIn != nil {
			c.cfg.OnSignIn(a.res)
		}
		close(a.done)
	}()
	return a, false
}

// store makes k the current keys; c.mu is held. An unchanged shared key keeps its replay check,
// so signing in again never accepts old publications.
func (c *Channel) store(k *credentials) Result {
	k.Seq = 1
	if old := c.creds; old != nil {
		k.Seq = old.Seq + 1
		if k.Changed = old.AES != k.AES; !k.Changed {
			k.serial = old.serial
		}
	}
	c.creds = k
	return k.Result
}

// refresh returns keys newer than sign-in number seq, and signs in if necessary. joined reports
// that the sign-in may have begun before the call.
func (c *Channel) refresh(ctx context.Context, seq uint64) (k *credentials, joined bool, err error) {
	if k := c.current(); k != nil && k.Seq != seq {
		return k, true, nil
	}
	a, joined := c.join()
	select {
	case <-a.done:
	case <-ctx.Done():
		return nil, joined, c.fail("sign in", ctx.Err(), "", "")
	}
	if a.err != nil {
		return nil, joined, a.err
	}
	return c.current(), joined, nil
}

// credentials returns the keys in use, and signs in first if it has none.
func (c *Channel) credentials(ctx context.Context) (*credentials, error) {
	if k := c.current(); k != nil {
		return k, nil
	}
	k, _, err := c.refresh(ctx, 0)
	return k, err
}

// signIn does one `_auth` exchange (Salt wire reference §6).
func (c *Channel) signIn(ctx context.Context) (*credentials, error) {
	var q question
	var body []byte
	var err error
	c.cfg.Deep(func() { q, body, err = c.pose() })
	if err != nil {
		return nil, err
	}
	reply, err := c.exchange(ctx, signInOp, body, c.cfg.AuthTimeout, c.cfg.AuthTries)
	if err != nil {
		return nil, err
	}
	var k *credentials
	c.cfg.Deep(func() { k, err = c.learn(reply, q) })
	return k, err
}

// pose returns the question of a sign-in, and its encoded request.
func (c *Channel) pose() (question, []byte, error) {
	known, err := loadPin(c.cfg.pinPath())
	if err != nil {
		return question{}, nil, c.fail(signInOp, err, "", "remove "+c.cfg.pinPath()+" if the master's key may be learned anew")
	}
	q := question{nonce: wire.NewNonce(), pinned: known}
	body, err := c.ask(q)
	if err != nil {
		return question{}, nil, c.fail(signInOp, err, "make the request", "")
	}
	return q, body, nil
}

// learn reads the keys from a reply, and pins the master's key if it is new.
func (c *Channel) learn(reply []byte, q question) (*credentials, error) {
	g, err := c.judge(reply, q)
	if err != nil {
		return nil, err
	}
	if g.learned {
		if err := g.master.save(c.cfg.pinPath()); err != nil {
			return nil, c.fail(signInOp, err, "", "make "+c.cfg.PkiDir+" writable")
		}
		c.log.Info("master key pinned", "path", c.cfg.pinPath())
	}
	c.log.Debug("signed in", "version", g.version, "publish_port", g.publishPort)
	return g.credentials(), nil
}

// ask encodes the request of a sign-in (Salt wire reference §6.1).
func (c *Channel) ask(q question) ([]byte, error) {
	load := wire.NewMap(
		"cmd", "_auth", "id", c.cfg.ID, "nonce", q.nonce,
		"enc_algo", c.cfg.EncryptionAlgorithm, "sig_algo", c.cfg.SigningAlgorithm)
	if c.cfg.AutosignGrains != nil {
		load.Set("autosign_grains", c.cfg.AutosignGrains)
	}
	if len(c.cfg.Voucher) > 0 {
		load.Set("mom_voucher", c.cfg.Voucher)
	}
	if q.pinned != nil {
		token, err := crypt.Encrypt(c.cfg.EncryptionAlgorithm, q.pinned.key, []byte(c.challenge))
		if err != nil {
			return nil, fmt.Errorf("challenge: %w", err)
		}
		load.Set("token", token)
	}
	load.Set("pub", crypt.CleanPEM(c.pair.PublicPEM))
	raw, err := wire.Encode(load)
	if err != nil {
		return nil, err
	}
	return wire.Envelope{Enc: "clear", Load: raw, Version: protocol, HasVersion: true}.Encode()
}
