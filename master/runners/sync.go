package runners

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/value"
)

// syncKind is a kind of custom modules. The kinds are in the order of Salt's report.
type syncKind struct {
	name   string // key in the result of saltutil.sync_all
	fun    string // behind saltutil.sync_
	folder string // directory in the environment
	// master is set for modules that a master runs. The others are for minions, which fetch them
	// themselves.
	master bool
}

var syncKinds = []syncKind{
	{"clouds", "clouds", "_clouds", true},
	{"modules", "modules", "_modules", false},
	{"states", "states", "_states", false},
	{"grains", "grains", "_grains", false},
	{"renderers", "renderers", "_renderers", false},
	{"returners", "returners", "_returners", false},
	{"output", "output", "_output", true},
	{"proxymodules", "proxymodules", "_proxy", false},
	{"runners", "runners", "_runners", true},
	{"wheel", "wheel", "_wheel", true},
	{"engines", "engines", "_engines", false},
	{"thorium", "thorium", "_thorium", true},
	{"queues", "queues", "_queues", true},
	{"pillar", "pillar", "_pillar", true},
	{"utils", "utils", "_utils", false},
	{"sdb", "sdb", "_sdb", false},
	{"cache", "cache", "_cache", true},
	{"fileserver", "fileserver", "_fileserver", true},
	{"tops", "tops", "_tops", true},
	{"tokens", "eauth_tokens", "_tokens", true},
	{"serializers", "serializers", "_serializers", false},
	{"executors", "executors", "_executors", false},
	{"roster", "roster", "_roster", true},
}

func init() {
	envs := []string{"saltenv"}
	args := []string{"saltenv=", "extmod_whitelist=", "extmod_blacklist=", "refresh="}
	const about = `
This master does not run Python, so nothing is fetched. Modules for the master are listed
with that reason; minions fetch their own modules.

saltenv : base
    The environment, or several separated by commas.
extmod_whitelist, extmod_blacklist, refresh
    Have no effect: nothing is fetched.
`
	Register(Function{Name: "saltutil.sync_all", Args: args, Lists: envs, Run: syncAll, Doc: `
List the site's own modules that Salt's master would fetch, by their kind.
` + about + `
    salt-run saltutil.sync_all
`})
	for _, k := range syncKinds {
		Register(Function{Name: "saltutil.sync_" + k.fun, Args: args, Lists: envs, Doc: `
List the site's own modules in ` + k.folder + ` that Salt's master would fetch.
` + about + `
    salt-run saltutil.sync_` + k.fun + `
`, Run: func(ctx context.Context, c *Call) (any, error) { return syncOne(ctx, c, k) }})
	}
}

func syncAll(ctx context.Context, c *Call) (any, error) {
	out := value.NewMap()
	for _, k := range syncKinds {
		found, err := syncOne(ctx, c, k)
		if err != nil {
			return nil, err
		}
		out.Set(k.name, found)
	}
	return out, nil
}

// syncOne lists the modules of a kind that Salt's master would sync.
func syncOne(ctx context.Context, c *Call, k syncKind) (any, error) {
	s, err := fileServer(c)
	if err != nil || !k.master {
		return []any{}, err
	}
	envs, err := c.Patterns("saltenv")
	if err != nil {
		return nil, err
	}
	if len(envs) == 0 {
		envs = []string{"base"}
	}
	var out []string
	for _, env := range envs {
		list, err := s.List(ctx, strings.TrimSpace(env), files.Files, k.folder, "")
		if err != nil {
			return nil, err
		}
		for _, file := range list {
			rel, ok := strings.CutPrefix(file, k.folder+"/")
			if ext := path.Ext(file); ok && slices.Contains([]string{".py", ".pyx", ".so", ".zip"}, ext) {
				name := strings.ReplaceAll(strings.TrimSuffix(rel, ext), "/", ".")
				out = append(out, k.fun+"."+name+" is not usable: this master runs no Python")
			}
		}
	}
	slices.Sort(out)
	return wire.AnyList(slices.Compact(out)), nil
}
