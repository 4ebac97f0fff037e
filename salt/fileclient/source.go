package fileclient

import (
	"context"

	"github.com/momtree/mom/value"
)

// Source provides files. Paths are relative to the root of an environment and use slashes.
// The error is [fs.ErrNotExist] if a file does not exist.
type Source interface {
	// Envs returns the environments.
	Envs(ctx context.Context) ([]string, error)
	// List returns the paths of an environment that begin with prefix, sorted. An unknown
	// environment is empty.
	List(ctx context.Context, kind Kind, saltenv, prefix string) ([]string, error)
	// Symlinks maps each link to its target as written.
	Symlinks(ctx context.Context, saltenv, prefix string) (*value.Map, error)
	// Hash returns the hash of a file.
	Hash(ctx context.Context, saltenv, path string) (Hash, error)
	// Stat returns the ten numbers of os.stat in Python, mode first; nil if the source does
	// not know them.
	Stat(ctx context.Context, saltenv, path string) ([]int64, error)
	// Read returns a piece of a file from an offset on, empty at its end. level is the
	// compression of the piece in transit, 1 to 9; 0 means none.
	Read(ctx context.Context, saltenv, path string, offset int64, level int) ([]byte, error)
}

// Kind is what [Source.List] lists.
type Kind string

// Kinds are the names of the commands that list them on a master.
const (
	Files     Kind = "_file_list"
	Folders   Kind = "_dir_list"
	EmptyDirs Kind = "_file_list_emptydirs"
)

// Hash is the hash of a file.
type Hash struct {
	Type string // a value of the option hash_type
	Sum  string // hex digits
}

// Map returns the hash in the form of Salt's functions.
func (h Hash) Map() *value.Map { return value.NewMap("hsum", h.Sum, "hash_type", h.Type) }
