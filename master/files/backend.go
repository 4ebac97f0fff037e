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

// Backend is one source of files. Its methods are called concurrently, with paths and
// environments that [ParsePath] and [CheckEnv] have let through. What it does not have is
// an error that is fs.ErrNotExist; any other error is logged and costs the minion that
// file, not the other backends.
type Backend interface {
	// Envs lists its environments.
	Envs(ctx context.Context) ([]string, error)
	// Find finds a regular file.
	Find(ctx context.Context, env string, p Path) (*File, error)
	// List lists an environment. The caller does not change it.
	List(ctx context.Context, env string) (*List, error)
}

// Updater is a [Backend] that looks now and then whether its source has changed.
type Updater interface {
	// Update looks now. remotes narrows it to sources whose names contain one of these;
	// none: all. Changes are what the event salt/fileserver/BACKEND/update tells, but for
	// its name; nil: there is nothing to tell.
	Update(ctx context.Context, remotes []string) (changes *value.Map, err error)
	// Interval is the time between two looks; 0: never by itself.
	Interval() time.Duration
}

// DueUpdater is an [Updater] whose sources have intervals of their own; that of the backend
// is the shortest.
type DueUpdater interface {
	// UpdateDue looks at those whose interval has passed. It is called at each interval,
	// whether or not the last call has ended.
	UpdateDue(ctx context.Context) (changes *value.Map, err error)
}

// Locker is a [Backend] whose sources an operator may keep as they are.
type Locker interface {
	// Lock has the sources whose addresses match a pattern, "" for all, not be updated, and
	// tells in Salt's words which were not locked before.
	Lock(remote string) (locked []string, faults []error)
	// ClearLock has them be updated again.
	ClearLock(remote string) (cleared []string, faults []error)
}

// Cleaner is a [Backend] that keeps copies.
type Cleaner interface {
	// ClearCache forgets them.
	ClearCache(ctx context.Context) error
}

// File is one file that a backend has found.
type File struct {
	// Path is what _file_find tells as its full path on the master, Rel its path in the
	// environment.
	Path, Rel string
	// Stat is os.stat of Python: mode, inode, device, links, uid, gid, size, and the times
	// of access, modification and change in whole seconds. nil: unknown.
	Stat []int64
	// Size in bytes.
	Size int64
	// Key tells this content from any other that this path has had or will have. "": its
	// hash is not kept.
	Key string
	// HashType and Sum are its hash where that is known without reading; "" where not.
	HashType, Sum string
	// Open opens the very content that was found, or fails.
	Open func(ctx context.Context) (Content, error)
}

// Content is an open file.
type Content interface {
	io.ReaderAt
	io.Closer
}

// List is what an environment has. Paths are relative and sorted.
type List struct {
	Files, Dirs, EmptyDirs []string
	Links                  map[string]string // link: target as written
}

// Env is what a backend is made of.
type Env struct {
	Config *config.Master
	Above  *above.Link
	Ignore *IgnoreRules
	// Copies opens the store of files that come from elsewhere: cachedir/file_copies, of
	// file_cache_size. It is one for all backends.
	Copies func() (*Copies, error)
	Log    *slog.Logger
	Now    func() time.Time
}

type kind struct {
	make func(Env) (Backend, error)
	also []string
}

var kinds = map[string]kind{}

// Register enters a backend under the name by which fileserver_backend names it and also
// names it. It is called from init and panics when a name is taken.
func Register(name string, open func(Env) (Backend, error), also ...string) {
	for k, v := range kinds {
		if k == name || slices.Contains(v.also, name) {
			panic("files: backend " + name + " is registered twice")
		}
	}
	kinds[name] = kind{open, also}
}

// Kinds lists the backends that there are.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// canonical gives a backend its one name.
func canonical(name string) (string, error) {
	for k, v := range kinds {
		if k == name || slices.Contains(v.also, name) {
			return k, nil
		}
	}
	return "", fmt.Errorf("fileserver_backend: %q is not known; there are %v", name, Kinds())
}
