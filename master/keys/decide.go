package keys

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
)

// minKeyBits is the smallest accepted key: a smaller one cannot encrypt the keys of the reply, and
// could be forged.
const minKeyBits = 1024

// keyMode is the mode of minions' key files, which are not secret.
const keyMode = 0o644

// Decider applies the rules of sign-in to a store of keys.
type Decider struct {
	store      *Store
	policy     Policy
	autosign   signingFile
	autoreject signingFile
	log        *slog.Logger
	waiters    *waiters
}

// NewDecider returns a Decider. p must not change afterwards; the files it names are read again when
// they change.
func NewDecider(s *Store, p Policy) *Decider {
	if p.Log == nil {
		p.Log = s.log
	}
	d := &Decider{store: s, policy: p, log: p.Log, waiters: newWaiters(p.MaxPending, s.List(Pending), s.opts.Now())}
	s.Subscribe(d.follow)
	d.autosign = signingFile{path: p.AutosignFile, trusted: d.policy.trusted, log: p.Log}
	d.autoreject = signingFile{path: p.AutorejectFile, trusted: d.policy.trusted, log: p.Log}
	return d
}

// follow updates the places for pending keys when others change keys.
func (d *Decider) follow(c Change) {
	switch {
	case c.State != Pending:
	case c.Op == Removed:
		d.waiters.forget(c.ID)
	case c.Op == Added:
		d.waiters.seen(c.ID, netip.Prefix{}, d.store.opts.Now())
	}
}

// Decide decides one sign-in as Salt does, and changes the key folders accordingly. Key texts are
// compared without line ends and outer white space. Sign-ins of one id are decided one at a time.
//
// Two things differ from Salt. A key that is not an RSA key of at least 1024 bits is refused and not
// stored; Salt keeps it pending. And a stub in minions_autosign is used up only by the sign-in that
// it accepts, so that nobody can use it up with another key.
//
// If another process moves or deletes the key during the decision, the answer is pending, and the
// next sign-in is decided anew. A refusal would end a Salt minion.
func (d *Decider) Decide(ctx context.Context, a Auth) Verdict {
	v := d.decide(ctx, a)
	if v.Act == "" && errors.Is(v.Err, ErrUnknown) {
		v = Verdict{Outcome: Waiting, Act: "pend", Reason: "its key was moved or deleted just then"}
	}
	v.auth = &a
	v.grains = slices.Contains(d.policy.AuthEventsAutosignGrains, v.Act)
	level, msg := slog.LevelInfo, "minion signs in"
	if v.Err != nil {
		level, msg = slog.LevelError, "sign-in cannot be carried out"
	}
	attrs := []slog.Attr{slog.String("id", a.ID), slog.String("outcome", v.Outcome.String())}
	if v.Reason != "" {
		attrs = append(attrs, slog.String("reason", v.Reason))
	}
	if v.Err != nil {
		attrs = append(attrs, slog.Any("err", v.Err))
	}
	d.log.LogAttrs(ctx, level, msg, attrs...) //nolint:sloglint // one of two constants
	return v
}

func (d *Decider) decide(ctx context.Context, a Auth) Verdict {
	if err := ctx.Err(); err != nil {
		return Verdict{Err: err, silent: true}
	}
	if err := ValidID(a.ID); err != nil {
		return Verdict{Turned: BadRequest, Reason: err.Error(), silent: true}
	}
	if p := d.policy; p.MaxMinions > 0 && p.Connected != nil {
		if total, connected := p.Connected(a.ID); total > p.MaxMinions && !connected {
			return Verdict{Outcome: Full, Act: "full", Turned: TooMany, Reason: fmt.Sprintf("%d minions are connected, max_minions is %d", total, p.MaxMinions)}
		}
	}
	defer d.store.lock(a.ID)()
	d.store.Refresh(a.ID)
	if d.policy.OpenMode {
		return d.open(a)
	}
	if d.store.Has(Rejected, a.ID) {
		return Verdict{Turned: Barred, Reason: "its key is rejected"}
	}
	if err := usable(a.Pub); err != nil {
		return Verdict{Turned: BadKey, Reason: err.Error()}
	}
	switch {
	case d.store.Has(Accepted, a.ID):
		return d.known(a, Accepted)
	case d.autoreject.match(a.ID):
		return d.autoRejected(a)
	case d.store.Has(Pending, a.ID):
		return d.known(a, Pending)
	}
	return d.stranger(a)
}

// usable returns an error if a key cannot be used.
func usable(text string) error {
	if len(text) > maxPubBytes {
		return fmt.Errorf("public key has %d bytes, at most %d are accepted", len(text), maxPubBytes)
	}
	pub, err := crypt.ParsePublicPEM(text)
	if err != nil {
		return err
	}
	if n := pub.N.BitLen(); n < minKeyBits {
		return fmt.Errorf("public key has %d bits, at least %d are required", n, minKeyBits)
	}
	return nil
}

// open implements open_mode, which accepts every key.
func (d *Decider) open(a Auth) Verdict {
	if err := usable(a.Pub); err != nil {
		return Verdict{Turned: BadKey, Reason: err.Error(), silent: a.Pub == ""}
	}
	same := false
	if d.store.Has(Accepted, a.ID) {
		c, err := d.store.content(Accepted, a.ID)
		same = err == nil && c.sum == sumOf(a.Pub)
	}
	if !same {
		d.log.Warn("open_mode stores the key of a minion", "id", a.ID)
		if err := d.write(Accepted, a); err != nil {
			return Verdict{Err: err}
		}
	}
	return d.admit(a)
}

// known decides a sign-in of an id with an accepted or pending key.
func (d *Decider) known(a Auth, st State) Verdict {
	c, err := d.store.content(st, a.ID)
	if err != nil {
		return Verdict{Err: err}
	}
	if c.err != nil {
		return Verdict{Err: fmt.Errorf("the known key of %s cannot be read: %w; put the right one in its place, or delete it (salt-key -d) and accept the minion again", a.ID, c.err)}
	}
	if c.sum != sumOf(a.Pub) {
		v := Verdict{Act: "denied", Turned: OtherKey, Reason: "its key differs from the one in " + st.Folder()}
		v.Err = d.deny(a)
		return v
	}
	if st == Accepted {
		return d.admit(a)
	}
	ok, stub := d.autosigned(a)
	if !ok || stub && !d.store.useStub(a.ID) {
		d.waiters.seen(a.ID, a.From, d.store.opts.Now())
		return Verdict{Outcome: Waiting, Act: "pend", Reason: "its key is pending"}
	}
	if err := d.store.move(Key{Pending, a.ID}, Accepted); err != nil {
		if !d.store.Has(Pending, a.ID) {
			err = fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		return Verdict{Err: err}
	}
	return d.admit(a)
}

func (d *Decider) autoRejected(a Auth) Verdict {
	v := Verdict{Act: "reject", Turned: Barred, Reason: "autoreject_file names it"}
	switch max := d.policy.MaxPending; {
	case d.store.Has(Pending, a.ID):
		v.Err = d.store.move(Key{Pending, a.ID}, Rejected)
	case max > 0 && d.store.Len(Rejected) >= max: // it is refused all the same
	default:
		v.Err = d.write(Rejected, a)
	}
	return v
}

func (d *Decider) stranger(a Auth) Verdict {
	ok, stub := d.autosigned(a)
	if !ok || stub && !d.store.useStub(a.ID) {
		return d.pend(a)
	}
	if err := d.write(Accepted, a); err != nil {
		return Verdict{Err: err}
	}
	return d.admit(a)
}

// pend stores a new key as pending, if there is room. Otherwise its minion gets the answer "wait", like one
// whose key is pending.
func (d *Decider) pend(a Auth) Verdict {
	v := Verdict{Outcome: Waiting, Act: "pend", Reason: "its key is new"}
	now := d.store.opts.Now()
	old, err := d.waiters.place(a.ID, sumOf(a.Pub), a.From, now)
	if err != nil {
		return Verdict{Outcome: Waiting, Turned: PendingFull, silent: true, Reason: err.Error() + "; it is not kept"}
	}
	if old != "" {
		if err := d.makeRoom(old, now); err != nil {
			d.waiters.forget(a.ID)
			return Verdict{Err: err}
		}
		v.Dropped = old
	}
	if err := d.write(Pending, a); err != nil {
		d.waiters.forget(a.ID)
		return Verdict{Err: err}
	}
	return v
}

// makeRoom removes a pending key.
func (d *Decider) makeRoom(id string, now time.Time) error {
	if c, err := d.store.content(Pending, id); err == nil {
		d.waiters.madeRoom(id, c.sum, now)
	}
	return d.store.drop(Pending, id)
}

// autosigned reports whether a key is to be accepted automatically, and whether that uses a stub.
func (d *Decider) autosigned(a Auth) (ok, stub bool) {
	switch {
	case d.policy.AutoAccept, d.autosign.match(a.ID), d.policy.Vouched != nil && d.policy.Vouched(a.ID, a.Pub, a.Voucher):
		return true, false
	case d.store.stub(a.ID):
		return true, true
	}
	return d.policy.grainsMatch(a.Grains), false
}

func (d *Decider) admit(a Auth) Verdict {
	pub, err := d.store.PublicKey(a.ID)
	if err != nil {
		return Verdict{Err: err}
	}
	d.waiters.forget(a.ID)
	return Verdict{Outcome: Admitted, Act: "accept", Key: pub}
}

// deny stores a key that differs from the known one, for the operator.
func (d *Decider) deny(a Auth) error {
	if d.store.Has(Denied, a.ID) {
		if c, err := d.store.content(Denied, a.ID); err == nil && c.sum == sumOf(a.Pub) {
			return nil
		}
	}
	return d.write(Denied, a)
}

// write stores the key of a sign-in, and syncs an accepted one.
func (d *Decider) write(st State, a Auth) error {
	write := durable.WriteFileLazy
	if st == Accepted {
		write = durable.WriteFile
	}
	if err := write(d.store.path(st, a.ID), []byte(a.Pub), keyMode); err != nil {
		return fmt.Errorf("store key: %w", err)
	}
	d.store.refresh(st, a.ID, true)
	if !d.store.Has(st, a.ID) {
		return fmt.Errorf("store key: %w: %q was removed from %s", ErrUnknown, a.ID, st)
	}
	return nil
}
