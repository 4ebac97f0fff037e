package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/server"
)

// fileCommand is the common part of the file server commands (Salt wire reference §8.2).
type fileCommand struct{ files *files.Server }

// Documentation of shared arguments.
const (
	docPath = `
path
    The path behind salt://, optionally with ?saltenv=ENV and ?index=N of one root.
saltenv
    The environment.
`
	docList = `
saltenv
    The environment.
prefix
    The prefix of the paths. Default: all.
fsbackend
    The backends, separated by commas; a minus in front excludes one.
`
)

// environment reads saltenv, which may be a number.
func environment(d *wire.Map) (string, bool) {
	v, _ := d.Get("saltenv")
	switch v := v.(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}

// find finds the requested file. found is false if Salt's answer is that the file does not exist.
func (c fileCommand) find(ctx context.Context, d *wire.Map) (f files.Found, found bool, err error) {
	env, ok := environment(d)
	path := d.String("path")
	if !ok || path == "" {
		return f, false, nil
	}
	f, err = c.files.Find(ctx, env, path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, false, nil
	}
	return f, err == nil, later(err)
}

// later marks an error of a backend as temporary, so that the minion asks again. An empty answer
// would mean that the file does not exist.
func later(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	//mutant:files-upstream-away
	return fmt.Errorf("%w: %w", server.ErrNotNow, err)
}

// load decodes the load of a request.
func load(r *server.Request) (*wire.Map, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("%s of %q: %w", r.Cmd, r.ID, err)
	}
	return d, nil
}
