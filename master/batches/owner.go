package batches

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/momtree/mom/internal/durable"
)

// Masters may share a cachedir. A file next to the state of a batch names the master that drives
// it, which renews the file. Another master takes over when the file has not changed for a while
// by its own clock, so clocks need not agree.
const (
	ownerFile = ".batch.owner"
	// renewEvery is the interval of renewal.
	renewEvery = 15 * time.Second
	// ownerGone is the time without renewal after which a driver is gone.
	ownerGone = 75 * time.Second
	maxOwner  = 4096
)

// errElsewhere is wrapped when another master drives a batch.
var errElsewhere = errors.New("driven by another master")

// seen is the content of another driver's file and when it was first seen.
type seen struct {
	content string
	since   time.Time
}

// lease is the right to drive a batch.
type lease struct {
	path    string
	content string
	renewed time.Time
}

func (f *files) ownerPath(id string) (string, error) {
	state, err := f.path(id)
	return filepath.Join(filepath.Dir(state), ownerFile), err
}

// owner is the file of a master that drives a batch. name is "" if the file is damaged.
type owner struct{ name, content string }

// is reports whether a master is the owner; without an owner, no master is.
func (o *owner) is(master string) bool { return o != nil && o.name == master }

// String returns the name for messages.
func (o *owner) String() string { return cmp.Or(o.name, "unknown") }

// owner returns the master that drives a batch; nil: none.
func (f *files) owner(id string) (*owner, error) {
	path, err := f.ownerPath(id)
	if err != nil {
		return nil, err
	}
	o, err := readOwner(path)
	if err != nil {
		return nil, fmt.Errorf("read driver of batch %s: %w", id, err)
	}
	return o, nil
}

func readOwner(path string) (*owner, error) {
	b, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // there is none
	case err != nil:
		return nil, err
	case len(b) > maxOwner:
		return nil, fmt.Errorf("%s is longer than %d bytes", path, maxOwner)
	}
	name, _, _ := strings.Cut(string(b), "\n")
	return &owner{name, string(b)}, nil
}

// claim makes this master the driver of a batch if it has none, this master drove it before, or
// the driver old is gone.
func (f *files) claim(id, me string, old *owner, now time.Time) (*lease, error) {
	path, err := f.ownerPath(id)
	if err != nil {
		return nil, err
	}
	l := &lease{path: path, renewed: now}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("claim batch %s: %w", id, err)
	}
	if old != nil {
		if err := takeAway(path, old.content); err != nil {
			return nil, fmt.Errorf("claim batch %s: %w", id, err)
		}
	}
	l.content = me + "\n" + rand.Text() + "\n"
	switch err := durable.CreateFile(path, []byte(l.content), 0o600); {
	case err == nil:
		return l, nil
	case !errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("claim batch %s: %w", id, err)
	}
	o, err := f.owner(id)
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, errElsewhere // which has just ended it
	}
	if !o.is(me) {
		return nil, fmt.Errorf("%w: %s", errElsewhere, o)
	}
	l.content = o.content
	if err := l.renew(me, now); err != nil {
		return nil, fmt.Errorf("claim batch %s: %w", id, err)
	}
	return l, nil
}

// takeAway removes the file of a driver that is gone. Of several masters one succeeds.
func takeAway(path, content string) error {
	aside := path + "." + rand.Text()
	if err := os.Rename(path, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err //nolint:wrapcheck // the caller says what it is
	}
	got, err := readOwner(aside)
	if err == nil && got != nil && got.content != content { // the driver is back, or there is a new one
		err = errors.Join(errElsewhere, durable.CreateFile(path, []byte(got.content), 0o600))
	}
	return errors.Join(err, os.Remove(aside))
}

// renew renews the file. It returns errElsewhere if another master has taken over.
func (l *lease) renew(me string, now time.Time) error {
	got, err := readOwner(l.path)
	if err != nil {
		return err
	}
	if got != nil && got.name != "" && got.content != l.content {
		return fmt.Errorf("%w: %s", errElsewhere, got)
	}
	next := me + "\n" + rand.Text() + "\n"
	if err := durable.WriteFile(l.path, []byte(next), 0o600); err != nil {
		return err //nolint:wrapcheck // it names the file
	}
	l.content, l.renewed = next, now
	return nil
}

// free removes the file of a batch that has ended.
func (l *lease) free() error {
	if got, err := readOwner(l.path); err != nil || got == nil || got.content != l.content {
		return err
	}
	if err := os.Remove(l.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err //nolint:wrapcheck // it names the file
	}
	return nil
}

// claim takes the right to drive a batch, unless another master renews it or the job is unknown
// here.
func (s *Service) claim(id string) (*lease, error) {
	now := s.o.Now()
	old, err := s.files.owner(id)
	if err != nil {
		return nil, err
	}
	if old == nil || old.is(s.o.Me) {
		return s.files.claim(id, s.o.Me, nil, now)
	}
	//mutant:batch-one-driver
	if !s.gone(id, old.content) {
		return nil, fmt.Errorf("%w: %s", errElsewhere, old)
	}
	named, err := s.o.Published(s.o.Ctx, id)
	if err != nil {
		return nil, err
	}
	if len(named) == 0 {
		return nil, fmt.Errorf("its master %s is gone and its job is unknown here", old)
	}
	l, err := s.files.claim(id, s.o.Me, old, now)
	if err == nil {
		s.o.Log.Warn("batch taken over", "jid", id, "from", old.String())
	}
	return l, err
}

// gone reports whether the file of another master has not changed for too long.
func (s *Service) gone(id, content string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now()
	was, known := s.others[id]
	if !known || was.content != content {
		was = seen{content, now}
		s.others[id] = was
	}
	return now.Sub(was.since) >= ownerGone
}

// holds reports whether this master still drives the batch, and renews its file.
func (b *batch) holds() bool {
	now := b.s.o.Now()
	if b.lease == nil || now.Sub(b.lease.renewed) < renewEvery {
		return true
	}
	err := errors.Join(b.lease.renew(b.s.o.Me, now), b.s.files.enlist(b.st.JID, true)) // others write the list too
	if errors.Is(err, errElsewhere) {
		b.s.o.Log.Error("batch given up", "jid", b.st.JID, "err", err)
		return false
	}
	if err != nil {
		b.s.o.Log.Error("batch not renewed as driven here", "jid", b.st.JID, "err", err)
		return now.Sub(b.lease.renewed) < ownerGone/2 // no slice if others may have taken over
	}
	return true
}
