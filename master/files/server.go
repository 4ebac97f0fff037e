package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/above"
	"github.com/momtree/mom/value"
)

const (
	// keptHashes limits the cached hashes, of about 300 bytes each.
	keptHashes = 200_000
	// keptLists limits the environments with cached lists. With __env__ in file_roots, clients can
	// invent environments.
	keptLists = 256
	// hashTurns is the number of files hashed at once.
	hashTurns = 2
)

// Options configure a [Server].
type Options struct {
	Config *config.Master
	// Above is the link to the parent, for the backend upstream. nil for a top master.
	Above *above.Link
	// Fire sends an event; it may be nil.
	Fire func(tag string, data *value.Map)
	Log  *slog.Logger     // nil: slog.Default
	Now  func() time.Time // default: time.Now
}

// Server is the file server of one master.
type Server struct {
	cfg      *config.Master
	backends []named
	fire     func(tag string, data *value.Map)
	log      *slog.Logger
	now      func() time.Time
	faults   logs.Throttle[string] // by backend
	lane     *lane
	rooms    sync.Pool // *[]byte, buffers for reading and encrypting chunks

	ctx    context.Context // for work that several callers wait for
	cancel func()
	once   sync.Once

	hashes  *lru.Map[hashKey, string]
	hashing singleflight.Group
	turns   chan struct{}

	lists   *lru.Map[listKey, *kept]
	listing singleflight.Group
	joined  *lru.Map[joinedKey, *joinedLists]
	counts  Counts
}

type named struct {
	Backend
	name string
}

// New opens the backends of fileserver_backend. An error names the invalid option.
func New(o Options) (*Server, error) {
	s := &Server{
		cfg: o.Config, fire: o.Fire, log: o.Log, now: o.Now,
		lane:   newLane(o.Config.Bounds.OrDefault().FileBytes),
		hashes: lru.New[hashKey, string](keptHashes), lists: lru.New[listKey, *kept](keptLists), joined: lru.New[joinedKey, *joinedLists](keptLists), turns: make(chan struct{}, hashTurns),
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.fire == nil {
		s.fire = func(string, *value.Map) {}
	}
	if o.Above == nil {
		o.Above = &above.Link{}
	}
	if _, err := crypt.NewHash(o.Config.HashType); err != nil {
		return nil, err
	}
	rules, err := NewIgnoreRules(o.Config)
	if err != nil {
		return nil, err
	}
	var kept *Copies
	env := Env{
		Config: o.Config, Above: o.Above, Ignore: rules, Log: s.log, Now: s.now,
		Copies: sync.OnceValues(func() (_ *Copies, err error) {
			kept, err = OpenCopies(filepath.Join(o.Config.Cachedir, "file_copies"), int64(o.Config.FileCacheSize)<<20)
			return kept, err
		}),
	}
	for _, name := range o.Config.FileserverBackend {
		name, err := canonical(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(s.backends, func(b named) bool { return b.name == name }) {
			return nil, fmt.Errorf("fileserver_backend: %s is named twice", name)
		}
		b, err := kinds[name].make(env)
		if err != nil {
			return nil, fmt.Errorf("file server, backend %s: %w", name, err)
		}
		s.backends = append(s.backends, named{b, name})
	}
	var stop context.CancelFunc
	s.ctx, stop = context.WithCancel(context.Background())
	s.cancel = func() {
		stop()
		if kept != nil {
			kept.Close()
		}
	}
	return s, nil
}

// Close ends the work in progress.
func (s *Server) Close() {
	s.once.Do(s.cancel)
}

// Backends returns the backends that word selects: all for "", the listed names in their order, or
// all but the listed names if each begins with a minus. Names are separated by commas.
func (s *Server) Backends(word string) []string {
	var all, out []string
	for _, b := range s.backends {
		all = append(all, b.name)
	}
	if strings.TrimSpace(word) == "" {
		return all
	}
	words := strings.Split(word, ",")
	subtract := !slices.ContainsFunc(words, func(w string) bool { return !strings.HasPrefix(strings.TrimSpace(w), "-") })
	if subtract {
		out = all
	}
	for _, w := range words {
		w = strings.TrimSpace(w)
		if subtract {
			if name, err := canonical(w[1:]); err == nil {
				out = slices.DeleteFunc(out, func(n string) bool { return n == name })
			}
			continue
		}
		if name, err := canonical(w); err == nil && slices.Contains(all, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (s *Server) backend(name string) Backend {
	for _, b := range s.backends {
		if b.name == name {
			return b.Backend
		}
	}
	return nil
}

// Envs lists the environments of the named backends, sorted; "" means all backends.
func (s *Server) Envs(ctx context.Context, backends string) ([]string, error) {
	var out []string
	for _, name := range s.Backends(backends) {
		envs, err := s.envs(ctx, name)
		if err != nil {
			return nil, err
		}
		out = append(out, envs...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (s *Server) envs(ctx context.Context, backend string) ([]string, error) {
	envs, err := s.backend(backend).Envs(ctx)
	if err != nil {
		s.fault(backend, "list environments", "", err)
		return nil, fmt.Errorf("backend %s: %w", backend, err)
	}
	return envs, nil
}

// EnvsOf returns the environments of each named backend.
func (s *Server) EnvsOf(ctx context.Context, backends string) (*value.Map, error) {
	out := value.NewMap()
	for _, name := range s.Backends(backends) {
		envs, err := s.envs(ctx, name)
		if err != nil {
			return nil, err
		}
		out.Set(name, wire.AnyList(envs))
	}
	return out, nil
}

// Found is a file and the backend that found it.
type Found struct {
	*File
	Back string
}

// Find finds a file by a path as minions send it. If the file does not exist or is not served, the
// error is fs.ErrNotExist. Any other error means that a backend failed; later backends are not
// asked.
func (s *Server) Find(ctx context.Context, env, path string) (Found, error) {
	p, env, err := ParsePath(path, env)
	if err != nil {
		return Found{}, err
	}
	for _, b := range s.backends {
		f, err := b.Find(ctx, env, p)
		switch {
		case err == nil:
			return Found{f, b.name}, nil
		case !errors.Is(err, fs.ErrNotExist):
			// Do not ask the next backend: it may have a different file of that name.
			s.fault(b.name, "find", path, err)
			//mutant:files-passed-over
			return Found{}, fmt.Errorf("backend %s: %w", b.name, err)
		}
	}
	return Found{}, fmt.Errorf("salt://%s in %s: %w", p.Rel, env, fs.ErrNotExist)
}

// fault logs an error of a backend, at most once a minute for each backend.
func (s *Server) fault(backend, what, about string, err error) {
	if n := s.faults.Note(backend+what, s.now()); n > 0 {
		s.log.Error("file server request failed", "backend", backend, "what", what, "about", about, "err", err, "times", n)
	}
}
