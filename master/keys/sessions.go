package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
)

// ErrExpired is returned for an expired session key: the peer has to sign in again.
var ErrExpired = errors.New("session key has expired")

// liveSessions is how many session keys are kept parsed. A parsed one takes about 1.5 kB and saves
// about 2 µs per request; the others are kept as text.
const liveSessions = 8192

// SessionOptions of [OpenSessions].
type SessionOptions struct {
	Cachedir string
	Life     time.Duration // publish_session, default 24 h
	Log      *slog.Logger
	Now      func() time.Time
}

// Sessions holds the session keys of minions, used by protocol 3, in one file
// cachedir/sessions/<id> each, so that they survive a restart. Only accepted ids have one; it is
// removed when the key is no longer accepted. It is safe for concurrent use.
type Sessions struct {
	dir    string
	life   time.Duration
	log    *slog.Logger
	now    func() time.Time
	store  *Store
	cancel func()

	mu   sync.RWMutex
	keys map[string]session
	live map[string]*crypt.Crypticle
}

type session struct {
	key  string
	made time.Time
}

// OpenSessions creates the folder with mode 0700 if it is missing. Close unsubscribes from the store.
func OpenSessions(store *Store, o SessionOptions) (*Sessions, error) {
	if o.Life <= 0 {
		o.Life = 24 * time.Hour
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Sessions{
		dir: filepath.Join(o.Cachedir, "sessions"), life: o.Life, log: o.Log, now: o.Now, store: store,
		keys: map[string]session{}, live: map[string]*crypt.Crypticle{},
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("open session keys: %w", err)
	}
	s.cancel = store.Subscribe(func(c Change) {
		if c.Revokes() {
			s.Forget(c.ID)
		}
	})
	return s, nil
}

// Close unsubscribes from the store of keys.
func (s *Sessions) Close() error {
	s.cancel()
	return nil
}

// Key returns the session key for a minion that signs in: the existing one, or a new one if there is
// none or it has expired. It returns [ErrUnknown] for an id that is not accepted.
func (s *Sessions) Key(id string) (string, error) {
	if !s.store.Accepted(id) {
		return "", fmt.Errorf("session key: %w: %q is not accepted", ErrUnknown, id)
	}
	if k, ok := s.known(id); ok && !s.expired(k) {
		return k.key, nil
	}
	// Of two concurrent requests of one id, the second uses the key of the first.
	defer s.store.lock(id)()
	k, err := s.load(id)
	if err != nil {
		return "", err
	}
	if k.key == "" || s.expired(k) {
		k = session{crypt.NewKeyString(), s.now()}
		path := filepath.Join(s.dir, id)
		// Not synced: a power failure costs one more sign-in.
		if err := durable.WriteFileLazy(path, []byte(k.key), 0o600); err != nil {
			return "", fmt.Errorf("store session key: %w", err)
		}
		if err := os.Chtimes(path, k.made, k.made); err != nil {
			return "", fmt.Errorf("store session key: %w", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.store.Accepted(id) { // deleted while we were at it
		_ = os.Remove(filepath.Join(s.dir, id))
		return "", fmt.Errorf("session key: %w: %q is no longer accepted", ErrUnknown, id)
	}
	s.keys[id] = k
	delete(s.live, id)
	return k.key, nil
}

// Current returns the key to decrypt requests of a minion with. It returns [ErrUnknown] or
// [ErrExpired] if the minion has to sign in first.
func (s *Sessions) Current(id string) (*crypt.Crypticle, error) {
	if !s.store.Accepted(id) {
		return nil, fmt.Errorf("session key: %w: %q is not accepted", ErrUnknown, id)
	}
	s.mu.RLock()
	k, known := s.keys[id]
	c := s.live[id]
	s.mu.RUnlock()
	if !known {
		var err error
		if k, err = s.adopt(id); err != nil {
			return nil, err
		}
	}
	if s.expired(k) {
		return nil, fmt.Errorf("%w: that of %q is %s old", ErrExpired, id, s.now().Sub(k.made).Round(time.Second))
	}
	if c != nil {
		return c, nil
	}
	c, err := crypt.ParseKey(k.key)
	if err != nil {
		return nil, fmt.Errorf("session key of %q: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys[id] == k {
		if len(s.live) >= liveSessions {
			for other := range s.live { // any: the order of a map is random enough
				delete(s.live, other)
				break
			}
		}
		s.live[id] = c
	}
	return c, nil
}

// adopt reads the key that a previous process stored.
func (s *Sessions) adopt(id string) (session, error) {
	defer s.store.lock(id)()
	k, err := s.load(id)
	if err != nil {
		return k, err
	}
	if k.key == "" {
		return k, fmt.Errorf("session key: %w: %q has none", ErrUnknown, id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.store.Accepted(id) {
		return k, fmt.Errorf("session key: %w: %q is no longer accepted", ErrUnknown, id)
	}
	s.keys[id] = k
	return k, nil
}

func (s *Sessions) known(id string) (session, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	k, ok := s.keys[id]
	return k, ok
}

func (s *Sessions) expired(k session) bool { return s.now().Sub(k.made) > s.life }

// load returns the key in memory or in the file, or the zero session if there is no valid one. The
// caller holds the lock of id.
func (s *Sessions) load(id string) (session, error) {
	if k, ok := s.known(id); ok {
		return k, nil
	}
	if err := ValidID(id); err != nil {
		return session{}, err
	}
	path := filepath.Join(s.dir, id)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return session{}, nil
	}
	if err != nil {
		return session{}, fmt.Errorf("read session key: %w", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return session{}, fmt.Errorf("read session key: %w", err)
	}
	c, err := crypt.ParseKey(string(b))
	if err != nil {
		s.log.Warn("session key file invalid, generating a new key", "path", path, "err", err)
		return session{}, nil
	}
	return session{c.Key(), info.ModTime()}, nil
}

// Forget removes the key of id, in memory and on disk.
func (s *Sessions) Forget(id string) {
	if ValidID(id) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.keys, id)
	delete(s.live, id)
	if err := os.Remove(filepath.Join(s.dir, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Error("session key not removed", "id", id, "err", err)
	}
}
