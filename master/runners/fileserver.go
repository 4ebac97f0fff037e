package runners

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/files"
)

// FileServer is an [Env] with a file server.
type FileServer interface {
	Files() *files.Server
}

const (
	docBackend = `
backend
    The backends, separated by commas; a minus in front excludes one. Default: all.
`
	docSaltenv = `
saltenv : base
    The environment.
`
)

func init() {
	Register(
		Function{Name: "fileserver.envs", Args: []string{"backend=", "sources="}, Lists: []string{"backend"}, Run: fileserverEnvs, Doc: `
The environments of the file server.
` + docBackend + `
sources : False
    Also return the backends.

    salt-run fileserver.envs
    salt-run fileserver.envs roots
`},
		fileserverList("file_list", "files", files.Files), fileserverList("dir_list", "folders", files.Dirs),
		fileserverList("empty_dir_list", "empty folders", files.EmptyDirs),
		Function{Name: "fileserver.symlink_list", Args: []string{"saltenv=", "backend="}, Lists: []string{"backend"}, Run: fileserverLinks, Doc: `
The symbolic links of an environment, with their targets as written.
` + docSaltenv + docBackend + `
    salt-run fileserver.symlink_list
`},
		Function{Name: "fileserver.update", Args: []string{"backend=", "remotes="}, Lists: []string{"backend", "remotes"}, Run: fileserverUpdate, Doc: `
Check the sources of files for changes now.
` + docBackend + `
remotes
    Only remotes whose names contain one of these strings: a list, or separated by commas.

    salt-run fileserver.update
    salt-run fileserver.update roots
`},
		Function{Name: "fileserver.clear_cache", Args: []string{"backend="}, Lists: []string{"backend"}, Run: fileserverClearCache, Doc: `
Remove the caches of the backends.
` + docBackend + `
    salt-run fileserver.clear_cache
`},
		Function{Name: "fileserver.lock", Args: []string{"backend=", "remote="}, Lists: []string{"backend"}, Run: fileserverLock, Doc: `
Lock git repositories: they are not fetched until fileserver.clear_lock, also across
restarts.
` + docBackend + `
remote
    A pattern of URLs. Default: all.

    salt-run fileserver.lock
    salt-run fileserver.lock backend=git remote='*github.com*'
`},
		Function{Name: "fileserver.clear_lock", Args: []string{"backend=", "remote="}, Lists: []string{"backend"}, Run: fileserverClearLock, Doc: `
Unlock git repositories that fileserver.lock has locked, so that they are fetched again.
` + docBackend + `
remote
    A pattern of URLs. Default: all.

    salt-run fileserver.clear_lock
    salt-run fileserver.clear_lock backend=git remote='*github.com*'
`},
		Function{Name: "fileserver.clear_file_list_cache", Args: []string{"saltenv=", "backend="}, Lists: []string{"saltenv", "backend"}, Run: fileserverClearLists, Doc: `
Remove the cached file lists (fileserver_list_cache_time), so that new files are listed at
once. Returns the environments by backend.

saltenv
    The environments: a list, or names separated by commas. Default: all.
` + docBackend + `
    salt-run fileserver.clear_file_list_cache saltenv=base
`},
	)
}

func fileServer(c *Call) (*files.Server, error) {
	e, ok := c.Env.(FileServer)
	if !ok {
		return nil, errors.New(c.Fun() + ": no file server")
	}
	return e.Files(), nil
}

// asked returns the file server of a call and the backends that the call names.
func asked(c *Call) (*files.Server, string, error) {
	s, err := fileServer(c)
	if err != nil {
		return nil, "", err
	}
	back, err := backends(c)
	return s, back, err
}

// backends reads the argument backend: a string or a list.
func backends(c *Call) (string, error) {
	list, err := c.Patterns("backend")
	text := ""
	for i, name := range list {
		if i > 0 {
			text += ","
		}
		text += name
	}
	return text, err
}

func saltenv(c *Call) string {
	if env := c.Text("saltenv"); env != "" {
		return env
	}
	return "base"
}

func fileserverEnvs(ctx context.Context, c *Call) (any, error) {
	s, back, err := asked(c)
	if err != nil {
		return nil, err
	}
	if sources, err := c.Flag("sources", false); err != nil || sources {
		if err != nil {
			return nil, err
		}
		return s.EnvsOf(ctx, back)
	}
	envs, err := s.Envs(ctx, back)
	return wire.AnyList(envs), err
}

func fileserverList(name, what string, form files.Form) Function {
	return Function{
		Name: "fileserver." + name, Args: []string{"saltenv=", "backend="}, Lists: []string{"backend"},
		Doc: "\nThe " + what + " of an environment, sorted.\n" + docSaltenv + docBackend + "\n    salt-run fileserver." + name + "\n    salt-run fileserver." + name + " saltenv=dev\n",
		Run: func(ctx context.Context, c *Call) (any, error) {
			s, err := fileServer(c)
			if err != nil {
				return nil, err
			}
			back, err := backends(c)
			if err != nil {
				return nil, err
			}
			list, err := s.List(ctx, saltenv(c), form, "", back)
			return wire.AnyList(list), err
		},
	}
}

func fileserverLinks(ctx context.Context, c *Call) (any, error) {
	s, back, err := asked(c)
	if err != nil {
		return nil, err
	}
	return s.Links(ctx, saltenv(c), "", back)
}

func fileserverUpdate(ctx context.Context, c *Call) (any, error) {
	s, back, err := asked(c)
	if err != nil {
		return nil, err
	}
	remotes, err := c.Patterns("remotes")
	if err != nil {
		return nil, err
	}
	if err := s.Update(ctx, back, remotes); err != nil {
		return nil, fmt.Errorf("fileserver.update: %w", err)
	}
	return true, nil
}

func fileserverClearCache(ctx context.Context, c *Call) (any, error) {
	s, back, err := asked(c)
	if err != nil {
		return nil, err
	}
	cleared, faults := s.ClearCache(ctx, back)
	return faulty("cleared", cleared, faults, "No cache was cleared"), nil
}

func fileserverLock(_ context.Context, c *Call) (any, error) {
	s, back, err := asked(c)
	if err != nil {
		return nil, err
	}
	locked, faults := s.Lock(back, c.Text("remote"))
	return faulty("locked", locked, faults, "No locks were set"), nil
}

func fileserverClearLock(_ context.Context, c *Call) (any, error) {
	s, back, err := asked(c)
	if err != nil {
		return nil, err
	}
	cleared, faults := s.ClearLock(back, c.Text("remote"))
	return faulty("cleared", cleared, faults, "No locks were removed"), nil
}

// faulty returns what a runner did and its faults, in Salt's form.
func faulty(word string, done, faults []string, nothing string) any {
	out := wire.NewMap()
	if len(done) > 0 {
		out.Set(word, wire.AnyList(done))
	}
	if len(faults) > 0 {
		out.Set("errors", wire.AnyList(faults))
	}
	if out.Len() == 0 {
		return nothing
	}
	return out
}

func fileserverClearLists(_ context.Context, c *Call) (any, error) {
	s, back, err := asked(c)
	if err != nil {
		return nil, err
	}
	envs, err := c.Patterns("saltenv")
	if err != nil {
		return nil, err
	}
	return s.ClearLists(envs, back), nil
}
