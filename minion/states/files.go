package states

import (
	"context"

	"github.com/momtree/mom/value"
)

// Files are the salt:// files as a minion sees them.
type Files interface {
	// Envs are the environments there are.
	Envs(ctx context.Context) ([]string, error)
	// List are the paths of the files of an environment below a folder; "" is all.
	List(ctx context.Context, saltenv, under string) ([]string, error)
	// Dirs likewise are the folders, empty ones among them.
	Dirs(ctx context.Context, saltenv, under string) ([]string, error)
	// Symlinks are the links of an environment below a folder: path → target.
	Symlinks(ctx context.Context, saltenv, under string) (map[string]string, error)
	// Cache brings a file onto this machine and tells where it lies. A file that is
	// not there is an error that is [io/fs.ErrNotExist].
	Cache(ctx context.Context, saltenv, path string) (local string, err error)
}

// Text renders a file with Jinja.
type Text interface {
	// Text renders source; path is where in saltenv it lies, "" for a file from
	// elsewhere. vars are laid beside grains, pillar, salt and opts.
	Text(ctx context.Context, saltenv, path string, source []byte, vars *value.Map) (string, error)
}
