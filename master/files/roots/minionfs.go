package roots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/files"
)

func init() { files.Register("minionfs", openPushed, "minion") }

// pushed is the backend minionfs: it serves files that minions have pushed (cp.push, with
// file_recv). The file /etc/motd of the minion web1 is salt://web1/etc/motd in minionfs_env, below
// minionfs_mountpoint. Files named top.sls are not served: a minion must not decide which states
// others get.
type pushed struct {
	dir, env, mount string // cachedir/minions
	pick            files.NameLists
	ignore          *files.IgnoreRules
	log             *slog.Logger
}

func openPushed(e files.Env) (files.Backend, error) {
	c := e.Config
	if !c.FileRecv {
		return nil, errors.New("minionfs serves files that minions push, and file_recv is off; set file_recv: True, or remove minionfs from fileserver_backend")
	}
	if err := files.CheckEnv(c.MinionfsEnv); err != nil {
		return nil, fmt.Errorf("minionfs_env: %w", err)
	}
	mount := strings.Trim(strings.TrimPrefix(c.MinionfsMountpoint, "salt://"), "/")
	if mount != "" {
		if _, _, err := files.ParsePath("|"+mount, c.MinionfsEnv); err != nil {
			return nil, fmt.Errorf("minionfs_mountpoint: %w", err)
		}
	}
	return &pushed{
		dir: filepath.Join(c.Cachedir, "minions"), env: c.MinionfsEnv, mount: mount,
		pick: files.NewNameLists(c.MinionfsWhitelist, c.MinionfsBlacklist), ignore: e.Ignore, log: e.Log,
	}, nil
}

// exposed reports whether the files of a minion are served.
func (b *pushed) exposed(id string) bool {
	return config.CheckID(id) == nil && b.pick.Shown(id)
}

// Envs returns minionfs_env.
func (b *pushed) Envs(context.Context) ([]string, error) { return []string{b.env}, nil }

// Find finds a pushed file.
func (b *pushed) Find(ctx context.Context, env string, p files.Path) (*files.File, error) {
	rel := p.Rel
	if b.mount != "" {
		below, ok := strings.CutPrefix(rel, b.mount+"/")
		if !ok {
			return nil, fs.ErrNotExist
		}
		rel = below
	}
	id, pushed, ok := strings.Cut(rel, "/")
	//mutant:files-pushed-top
	if env != b.env || !ok || path.Base(pushed) == "top.sls" || !b.exposed(id) {
		return nil, fs.ErrNotExist
	}
	f, err := b.tree(id, b.ignore).Find(ctx, b.env, files.Path{Rel: pushed, Index: -1})
	if err != nil {
		return nil, err
	}
	f.Rel = p.Rel
	return f, nil
}

func (b *pushed) tree(id string, rules *files.IgnoreRules) *Tree {
	return New(Options{Roots: map[string][]string{b.env: {filepath.Join(b.dir, id, "files")}}, Ignore: rules, Hide: true, Log: b.log})
}

// List lists the files that minions have pushed.
func (b *pushed) List(ctx context.Context, env string) (*files.List, error) {
	if env != b.env {
		return nil, fs.ErrNotExist
	}
	ids, err := os.ReadDir(b.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := &files.List{Links: map[string]string{}}
	for _, e := range ids {
		if !b.exposed(e.Name()) {
			continue
		}
		l, err := b.tree(e.Name(), nil).List(ctx, b.env)
		if err != nil {
			return nil, err
		}
		for _, f := range l.Files {
			if name := path.Join(b.mount, e.Name(), f); path.Base(f) != "top.sls" && !b.ignore.Match(name) {
				out.Files = append(out.Files, name)
			}
		}
		for _, d := range l.Dirs {
			out.Dirs = append(out.Dirs, path.Join(b.mount, e.Name(), d))
		}
	}
	slices.Sort(out.Files)
	slices.Sort(out.Dirs)
	return out, nil
}
