package fileclient

import (
	"context"

	"github.com/momtree/mom/value"
)

// Source has the files. Paths are relative to the root of an environment, with
// slashes. A file that is not there is an error that is [fs.ErrNotExist].
type Source interface {
	// Envs are the environments.
	Envs(ctx context.Context) ([]string, error)
	// List names what lies in an environment: paths that begin with prefix,
	// sorted. An environment that is not there has nothing.
	List(ctx context.Context, kind Kind, saltenv, prefix string) ([]string, error)
	// Symlinks maps each link to its target as written.
	Symlinks(ctx context.Context, saltenv, prefix string) (*value.Map, error)
	// Hash is the hash of a file.
	Hash(ctx context.Context, saltenv, path string) (Hash, error)
	// Stat is what os.stat says of a file at the source: the ten numbers that
	// Python gives, mode first; nil when the source does not tell.
	Stat(ctx context.Context, saltenv, path string) ([]int64, error)
	// Read gives a piece of a file from an offset on; none at its end. level is
	// how hard the piece is compressed on its way (1 to 9), 0: not at all.
	Read(ctx context.Context, saltenv, path string, offset int64, level int) ([]byte, error)
}

// Kind is what [Source.List] lists.
type Kind string

// What can be listed, by the name of the command that asks a master for it.
const (
	Files     Kind = "_file_list"
	Folders   Kind = "_dir_list"
	EmptyDirs Kind = "_file_list_emptydirs"
)

// Hash is that of a file.
type Hash struct {
	Type string // as the option hash_type names it
	Sum  string // hex digits
}

// Map is the hash as functions give it.
func (h Hash) Map() *value.Map { return value.NewMap("hsum", h.Sum, "hash_type", h.Type) }
