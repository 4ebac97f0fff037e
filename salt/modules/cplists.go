package modules

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/fileclient"
)

func init() {
	args := []Arg{{Name: "saltenv"}, {Name: "prefix", Default: ""}}
	Register("cp",
		Function{Name: "envs", Run: cpEnvs, Doc: `
List the environments of the master.

CLI Example:

    salt '*' cp.envs
`},
		Function{Name: "list_master", Args: args, Run: cpList(fileclient.Files), Doc: `
List the files of an environment (saltenv), those that begin with prefix.

CLI Example:

    salt '*' cp.list_master
`},
		Function{Name: "list_master_dirs", Args: args, Run: cpList(fileclient.Folders), Doc: `
List the folders of an environment (saltenv), those that begin with prefix.

CLI Example:

    salt '*' cp.list_master_dirs
`},
		Function{Name: "list_master_symlinks", Args: args, Run: cpSymlinks, Doc: `
List the links of an environment (saltenv) with their targets, those that begin
with prefix.

CLI Example:

    salt '*' cp.list_master_symlinks
`},
		Function{Name: "list_states", Args: []Arg{{Name: "saltenv"}}, Run: cpListStates, Doc: `
List the SLS of an environment (saltenv).

CLI Example:

    salt '*' cp.list_states
`},
		Function{Name: "list_minion", Args: []Arg{{Name: "saltenv"}}, Run: cpListMinion, Doc: `
List the files in the cache of the minion: of an environment (saltenv), and its own.

CLI Example:

    salt '*' cp.list_minion
`},
	)
}

func cpEnvs(ctx context.Context, c *Call) (any, error) {
	envs, err := c.Env.Files().Envs(ctx)
	return wire.AnyList(envs), fileError(err)
}

func cpList(kind fileclient.Kind) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		names, err := c.Env.Files().List(ctx, kind, saltenvOf(c), c.Str("prefix"))
		return wire.AnyList(names), fileError(err)
	}
}

func cpSymlinks(ctx context.Context, c *Call) (any, error) {
	links, err := c.Env.Files().Symlinks(ctx, saltenvOf(c), c.Str("prefix"))
	return links, fileError(err)
}

func cpListStates(ctx context.Context, c *Call) (any, error) {
	names, err := c.Env.Files().States(ctx, saltenvOf(c))
	return wire.AnyList(names), fileError(err)
}

func cpListMinion(_ context.Context, c *Call) (any, error) {
	names, err := c.Env.Files().Kept(saltenvOf(c))
	return wire.AnyList(names), fileError(err)
}
