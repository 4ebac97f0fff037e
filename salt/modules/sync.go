package modules

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/external"
	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/value"
)

// syncKinds are the kinds that saltutil.sync_all fetches, each from the folder
// salt://_KIND.
var syncKinds = []string{
	"beacons", "clouds", "engines", "executors", "grains", "log_handlers", "matchers", "modules", "output", "proxy", "renderers",
	"returners", "sdb", "serializers", "states", "thorium", "utils",
}

// syncNames are the functions whose name differs from their kind.
var syncNames = map[string]string{"proxy": "proxymodules"}

func init() {
	args := []Arg{{Name: "saltenv"}, {Name: "refresh", Default: true}, {Name: "extmod_whitelist"}, {Name: "extmod_blacklist"}}
	const about = `
Executable modules are fetched and used (docs/guide/external-modules.md); other
files, such as Python files, are listed by name, since this minion cannot use
them. Returns the new and changed names, and the unusable ones.

saltenv is the environment, or several with commas; by default those of the top
file. refresh is ignored: fetched modules are available at once.
extmod_whitelist and extmod_blacklist name the modules to fetch or to skip,
instead of the options of that name.
`
	for _, kind := range syncKinds {
		name := kind
		if other := syncNames[kind]; other != "" {
			name = other
		}
		Register("saltutil", Function{Name: "sync_" + name, Args: args, Run: syncOne(kind), Doc: `
Fetch the files of the master in salt://_` + kind + `.
` + about + `
CLI Example:

    salt '*' saltutil.sync_` + name + `
`})
	}
	Register("saltutil",
		Function{Name: "sync_all", Args: args, Run: syncAll, Doc: `
Fetch the files of the master in salt://_modules and similar folders, and
refresh the pillar.
` + about + `
CLI Example:

    salt '*' saltutil.sync_all
`},
		Function{Name: "list_extmods", Run: listExtmods, Doc: `
List the files fetched by saltutil.sync_*, by kind.

CLI Example:

    salt '*' saltutil.list_extmods
`},
		Function{Name: "refresh_modules", VarKw: true, Run: refreshed, Doc: `
Notify the minion that its modules have changed. It checks external modules
before each call, so there is nothing to do.

CLI Example:

    salt '*' saltutil.refresh_modules
`},
		Function{Name: "refresh_beacons", Run: refreshEvent("beacons_refresh"), Doc: `
Fire the event beacons_refresh on the bus of the minion, for programs that wait for it. This
minion runs no beacons.

CLI Example:

    salt '*' saltutil.refresh_beacons
`},
		Function{Name: "refresh_matchers", Run: refreshEvent("matchers_refresh"), Doc: `
Fire the event matchers_refresh on the bus of the minion, for programs that wait for it. The
matchers of this minion are built in.

CLI Example:

    salt '*' saltutil.refresh_matchers
`},
		Function{Name: "clear_cache", Run: clearCache, Doc: `
Remove the cached files of the minion: those fetched from the master and by
http. The minion's own data stays, such as returns that no master has accepted.

CLI Example:

    salt '*' saltutil.clear_cache
`},
	)
}

// refreshEvent returns a function that fires an event on the minion's own bus. It returns
// False without a daemon.
func refreshEvent(tag string) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		return c.Env.FireLocal(tag, value.NewMap()) == nil, nil
	}
}

func refreshed(context.Context, *Call) (any, error) { return true, nil }

// syncEnvs returns the environments to fetch from.
func syncEnvs(ctx context.Context, c *Call) []string {
	if given(c.Value("saltenv")) {
		return textList(c.Value("saltenv"))
	}
	// The environments that the top file has for this minion, if it can be read.
	top, err := c.sub(ctx, "state.show_top", nil, nil)
	if m, ok := top.(*value.Map); err == nil && ok && m.Len() > 0 {
		var out []string
		for _, k := range m.Keys() {
			out = append(out, PyStr(k))
		}
		return out
	}
	return []string{saltenvOf(c)}
}

func syncOne(kind string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		synced, err := syncKind(ctx, c, kind, syncEnvs(ctx, c))
		return wire.AnyList(synced), err
	}
}

func syncAll(ctx context.Context, c *Call) (any, error) {
	envs, out := syncEnvs(ctx, c), value.NewMap()
	for _, kind := range syncKinds {
		synced, err := syncKind(ctx, c, kind, envs)
		if err != nil {
			return nil, err
		}
		out.Set(kind, wire.AnyList(synced))
	}
	if c.IsTrue("refresh") {
		if err := c.Env.FireLocal("pillar_refresh", value.NewMap("clean_cache", true)); err != nil {
			return nil, CommandErrorf("request a refresh of the pillar: %v", err)
		}
	}
	return out, nil
}

// extmods returns the folder of fetched modules of a kind.
func extmods(c *Call, kind string) string {
	dir := PyStr(orText(c.Env.Option("extension_modules")))
	if dir == "" {
		dir = filepath.Join(PyStr(c.Env.Option("cachedir")), "extmods")
	}
	return filepath.Join(dir, kind)
}

// fetchable reports whether a module of a kind is to be fetched.
func fetchable(c *Call, kind, name string) bool {
	only := namesOf(kind, c.Value("extmod_whitelist"), c.Env.Option("extmod_whitelist"))
	never := namesOf(kind, c.Value("extmod_blacklist"), c.Env.Option("extmod_blacklist"))
	return (len(only) == 0 || slices.Contains(only, name)) && !slices.Contains(never, name)
}

// namesOf returns the modules of a kind in the first list that is set: that of the call,
// else of the option.
func namesOf(kind string, lists ...any) []string {
	for _, v := range lists {
		switch v := wire.Normal(v).(type) {
		case nil:
		case *value.Map:
			of, _ := v.Get(kind)
			return textList(of)
		default:
			return textList(v)
		}
	}
	return nil
}

// syncKind fetches one kind from environments. It returns the names that are new or have
// changed, and the unusable ones with a reason.
func syncKind(ctx context.Context, c *Call, kind string, envs []string) ([]string, error) {
	dir := extmods(c, kind)
	synced, kept := []string{}, map[string]bool{}
	for _, env := range envs {
		files, err := c.Env.Files().List(ctx, fileclient.Files, env, "_"+kind)
		if err != nil {
			return nil, fileError(err)
		}
		for _, file := range files {
			rel, ok := strings.CutPrefix(file, "_"+kind+"/")
			if !ok {
				continue
			}
			name := strings.ReplaceAll(strings.TrimSuffix(rel, filepath.Ext(rel)), "/", ".")
			if !fetchable(c, kind, name) {
				continue
			}
			why, changed, err := syncFile(ctx, c, kind, env, file, filepath.Join(dir, rel))
			switch {
			case err != nil:
				return nil, err
			case why != "":
				logger(c.Env).Warn("file of the master not usable", "path", file, "saltenv", env, "reason", why)
				synced = append(synced, kind+"."+name+" is not usable: "+why)
				continue
			case changed:
				synced = append(synced, kind+"."+name)
			}
			kept[filepath.Join(dir, rel)] = true
		}
	}
	return synced, cleanExtmods(c, dir, kept)
}

// syncFile fetches one file; why is the reason if it is unusable.
func syncFile(ctx context.Context, c *Call, kind, env, file, dest string) (why string, changed bool, err error) {
	if kind != "modules" {
		return "external modules can be execution modules only", false, nil
	}
	if external.Name(file) == "" || strings.Contains(strings.TrimPrefix(file, "_modules/"), "/") {
		return "its name is not one of small letters, digits and _, or it lies in a folder", false, nil
	}
	url := fileclient.URL(file)
	mode, known, err := c.Env.Files().Mode(ctx, url, env)
	switch {
	case err != nil:
		return "", false, fileError(err)
	case !known || mode&0o111 == 0:
		return "it is not executable; this minion does not run Python files of Salt", false, nil
	case Own(external.Name(file)):
		return "the minion has a built-in module of that name", false, nil
	}
	cached, err := c.Env.Files().Cache(ctx, url, fileclient.Want{Saltenv: env})
	if err != nil {
		return "", false, fileError(err)
	}
	want, err := os.ReadFile(cached)
	if err != nil {
		return "", false, osFault(err)
	}
	if have, err := os.ReadFile(dest); err == nil && string(have) == string(want) {
		return "", false, nil
	}
	if err := os.MkdirAll(filepath.Dir(dest), 0o700); err != nil {
		return "", false, osFault(err)
	}
	// In one step: it may be executed at any moment.
	tmp := filepath.Join(filepath.Dir(dest), ".part-"+filepath.Base(dest))
	if err := os.WriteFile(tmp, want, 0o700); err != nil {
		return "", false, osFault(err)
	}
	return "", true, osFault(os.Rename(tmp, dest))
}

// cleanExtmods removes files that the master no longer has.
func cleanExtmods(c *Call, dir string, kept map[string]bool) error {
	if c.Env.Option("clean_dynamic_modules") == false {
		return nil
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || kept[path] {
			return err
		}
		return os.Remove(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return osFault(err)
}

func listExtmods(_ context.Context, c *Call) (any, error) {
	out := value.NewMap()
	entries, err := os.ReadDir(filepath.Dir(extmods(c, "x")))
	if err != nil {
		return out, nil //nolint:nilerr // nothing fetched yet
	}
	for _, kind := range entries {
		files, err := os.ReadDir(extmods(c, kind.Name()))
		if err != nil {
			continue
		}
		var names []string
		for _, f := range files {
			names = append(names, strings.TrimSuffix(f.Name(), filepath.Ext(f.Name())))
		}
		out.Set(kind.Name(), wire.AnyList(names))
	}
	return out, nil
}

func clearCache(_ context.Context, c *Call) (any, error) {
	cachedir := PyStr(orText(c.Env.Option("cachedir")))
	if cachedir == "" {
		return nil, CommandErrorf("the option cachedir is not set")
	}
	for _, dir := range []string{"files", "extrn_files", "localfiles"} {
		if err := os.RemoveAll(filepath.Join(cachedir, dir)); err != nil {
			return nil, osFault(err)
		}
	}
	return true, nil
}
