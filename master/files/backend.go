package files

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/above"
	"github.com/momtree/mom/value"
)

// Backend is a source of files. Its methods must be safe for concurrent use. Paths and environments
// were checked by [ParsePath] and [CheckEnv]. For a missing file, the error is fs.ErrNotExist. Any
// other error is logged; it fails the request for this file, but does not affect other backends.
type Backend interface {
	// Envs lists the environments.
	Envs(ctx context.Context) ([]string, error)
	// Find finds a regular file.
	Find(ctx context.Context, env string, p Path) (*File, error)
	// List lists an environment. The caller must not change the list.
	List(ctx context.Context, env string) (*List, error)
}

// Updater is a [Backend] that checks its source for changes at intervals.
type Updater interface {
	// Update checks the source now. remotes limits it to sources whose names contain one of these;
	// empty means all. changes is the data of the event salt/fileserver/BACKEND/update, without its
	// name; nil means no event.
	Update(ctx context.Context, remotes []string) (changes *value.Map, err error)
	// Interval returns the time between two checks; 0 means no regular checks.
	Interval() time.Duration
}

// DueUpdater is an [Updater] whose sources have their own intervals. The interval of the backend is
// the shortest.
type DueUpdater interface {
	// UpdateDue checks the sources whose interval has passed. It is called at each interval, even
	// if the previous call is still running.
	UpdateDue(ctx context.Context) (changes *value.Map, err error)
}

// Locker is a [Backend] whose sources an operator may lock against updates.
type Locker interface {
	// Lock locks the sources whose addresses match a pattern, "" for all. It returns, in Salt's
	// words, which were not locked before.
	Lock(remote string) (locked []string, faults []error)
	// ClearLock removes locks.
	ClearLock(remote string) (cleared []string, faults []error)
}

// Cleaner is a [Backend] with a cache.
type Cleaner interface {
	// ClearCache removes the cached copies.
	ClearCache(ctx context.Context) error
}

// File is a file that a backend found.
type File struct {
	// Path is the full path on the master as shown by _file_find. Rel is the path in the
	// environment.
	Path, Rel string
	// Stat is Python's os.stat: mode, inode, device, links, uid, gid, size, and the times of
	// access, modification and change in whole seconds; nil if unknown.
	Stat []int64
	// Size in bytes.
	Size int64
	// Key identifies this content among all contents that the path ever has. If it is "", the hash
	// of the file is not cached.
	Key string
	// HashType and Sum are the hash, if known without reading the file; else "".
	HashType, Sum string
	// Open opens the content that was found. It fails if the content has changed.
	Open func(ctx context.Context) (Content, error)
}

// Content is an open file.
type Content interface {
	io.ReaderAt
	io.Closer
}

// List holds the contents of an environment. Paths are relative and sorted.
type List struct {
	Files, Dirs, EmptyDirs []string
	Links                  map[string]string // link: target as written
}

// Env holds the parameters of a backend.
type Env struct {
	Config *config.Master
	Above  *above.Link
	Ignore *IgnoreRules
	// Copies opens the store for copies of remote files, cachedir/file_copies, limited by
	// file_cache_size. All backends share it.
	Copies func() (*Copies, error)
	Log    *slog.Logger
	Now    func() time.Time
}

type kind struct {
	make func(Env) (Backend, error)
	also []string
}

var kinds = map[string]kind{}

// Register adds a backend under its name in fileserver_backend and the aliases in also. It is
// called from init. It panics if a name is taken.
func Register(name string, open func(Env) (Backend, error), also ...string) {
	for k, v := range kinds {
		if k == name || slices.Contains(v.also, name) {
			panic("files: backend " + name + " is registered twice")
		}
	}
	kinds[name] = kind{open, also}
}

// Kinds returns the names of all backends, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// canonical returns the canonical name of a backend.
func canonical(name string) (string, error) {
	for k, v := range kinds {
		if k == name || slices.Contains(v.also, name) {
			return k, nil
		}
	}
	return "", fmt.Errorf("fileserver_backend: unknown backend %q; use one of %v", name, Kinds())
}
