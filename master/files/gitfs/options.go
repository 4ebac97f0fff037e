package gitfs

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/gitrepo"
)

// remote is an entry of gitfs_remotes.
type remote struct {
	repo        *gitrepo.Repo
	id, name    string
	base        string
	fallback    string
	all         string // all_saltenvs
	root, mount string
	types       []string
	noMapping   bool
	envs        files.NameLists
	own, global map[string]place // by environment: of the remote, and of gitfs_saltenv
	mapped      map[string][]string
	interval    time.Duration
	mu          sync.Mutex
	last        time.Time // time of the last fetch
}

// place holds the parameters of one environment; nil means unset.
type place struct{ ref, root, mount *string }

var (
	params = slices.Concat(gitrepo.AuthParams, []string{
		"all_saltenvs", "base", "disable_saltenv_mapping", "fallback", "mountpoint", "name", "ref_types", "refspecs", "root", "saltenv",
		"saltenv_blacklist", "saltenv_whitelist", "update_interval",
	})
	allTypes = []string{gitrepo.Branch, gitrepo.Tag, gitrepo.SHA}
)

// readRemotes reads gitfs_remotes and opens their copies below dir. The error names each invalid
// remote.
func readRemotes(c *config.Master, log *slog.Logger) ([]*remote, error) {
	entries, err := gitrepo.Entries(c.GitfsRemotes, params)
	if err != nil {
		return nil, fmt.Errorf("gitfs_remotes: %w", err)
	}
	global, err := places(gitrepo.Params{"gitfs_saltenv": c.GitfsSaltenv}, "gitfs_saltenv")
	if err != nil {
		return nil, err
	}
	var out []*remote
	var faults []error
	taken := map[string]string{}
	for _, e := range entries {
		r, err := newRemote(c, e, global, log, taken)
		if err != nil {
			faults = append(faults, fmt.Errorf("gitfs_remotes: %s: %w", gitrepo.Redacted(e.ID), err))
			continue
		}
		out = append(out, r)
	}
	return out, errors.Join(faults...)
}

func newRemote(c *config.Master, e gitrepo.Entry, global map[string]place, log *slog.Logger, taken map[string]string) (*remote, error) {
	r := &remote{id: e.ID, global: global, mapped: map[string][]string{}}
	var faults []error
	text := func(name, def string, into *string) {
		v, err := e.Params.Text(name, def)
		faults = append(faults, err)
		*into = v
	}
	texts := func(name string, def []string) []string {
		v, err := e.Params.Texts(name, def)
		faults = append(faults, err)
		return v
	}
	text("name", "", &r.name)
	text("base", c.GitfsBase, &r.base)
	text("fallback", c.GitfsFallback, &r.fallback)
	text("all_saltenvs", "", &r.all)
	text("root", c.GitfsRoot, &r.root)
	text("mountpoint", c.GitfsMountpoint, &r.mount)
	r.root, r.mount = below(r.root), below(stripped(r.mount))
	r.types = texts("ref_types", c.GitfsRefTypes)
	if len(r.types) == 0 {
		r.types = allTypes
	}
	for i, t := range r.types {
		if r.types[i] = strings.ToLower(t); !slices.Contains(allTypes, r.types[i]) {
			faults = append(faults, fmt.Errorf("ref_types: %q is not one of %s", t, strings.Join(allTypes, ", ")))
		}
	}
	r.envs = files.NewNameLists(texts("saltenv_whitelist", c.GitfsSaltenvWhitelist), texts("saltenv_blacklist", c.GitfsSaltenvBlacklist))
	var err error
	if r.noMapping, err = e.Params.Flag("disable_saltenv_mapping", c.GitfsDisableSaltenvMapping); err != nil {
		faults = append(faults, err)
	}
	seconds, err := e.Params.Seconds("update_interval", c.GitfsUpdateInterval.Seconds())
	faults = append(faults, err)
	r.interval = time.Duration(seconds * float64(time.Second))
	if r.own, err = places(e.Params, "saltenv"); err != nil {
		faults = append(faults, err)
	}
	for _, p := range []string{r.root, r.mount} {
		faults = append(faults, proper(p))
	}
	auth, err := e.Params.Auth(gitrepo.Auth{
		User: c.GitfsUser, Password: c.GitfsPassword, Privkey: c.GitfsPrivkey, Pubkey: c.GitfsPubkey,
		Passphrase: c.GitfsPassphrase, InsecureAuth: c.GitfsInsecureAuth, AnyCert: !c.GitfsSslVerify,
	})
	faults = append(faults, err)
	dir, err := folder(c, r, taken)
	faults = append(faults, err)
	if err := errors.Join(append(faults, r.mapRefs())...); err != nil {
		return nil, err
	}
	r.repo, err = gitrepo.Open(gitrepo.Options{Dir: dir, URL: e.ID, Refspecs: texts("refspecs", c.GitfsRefspecs), Auth: auth, Log: log})
	return r, err
}

// folder returns a directory for the copy of a remote that no other remote uses.
func folder(c *config.Master, r *remote, taken map[string]string) (string, error) {
	name := r.name
	if name == "" {
		name = fmt.Sprintf("%x", sha256.Sum256([]byte(r.id)))
	}
	if !filepath.IsLocal(name) || name == "." {
		return "", fmt.Errorf("name: %q is not a directory name", name)
	}
	if other, twice := taken[name]; twice {
		return "", fmt.Errorf("same cache directory as %s; set a distinct name for each remote", gitrepo.Redacted(other))
	}
	taken[name] = r.id
	return filepath.Join(c.Cachedir, "gitfs", strings.ReplaceAll(name, "/", "_")), nil
}

// mapRefs maps refs to the environments that saltenv assigns to them.
func (r *remote) mapRefs() error {
	if p, ok := r.own["base"]; ok && p.ref != nil { // it replaces base
		r.base = *p.ref
	}
	add := func(env string, p place) {
		if p.ref != nil {
			r.mapped[*p.ref] = append(r.mapped[*p.ref], env)
		}
	}
	for _, env := range slices.Sorted(maps.Keys(r.own)) {
		if err := files.CheckEnv(env); err != nil {
			return fmt.Errorf("saltenv: %w", err)
		}
		add(env, r.own[env])
	}
	for _, env := range slices.Sorted(maps.Keys(r.global)) {
		if r.own[env].ref == nil {
			add(env, r.global[env])
		}
	}
	return nil
}

// places reads saltenv.
func places(p gitrepo.Params, name string) (map[string]place, error) {
	by, err := p.Overlays(name)
	if err != nil {
		return nil, err
	}
	out := map[string]place{}
	for env, of := range by {
		var at place
		for _, key := range slices.Sorted(maps.Keys(of)) {
			v, err := of.Text(key, "")
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, env, err)
			}
			switch key {
			case "ref":
				at.ref = &v
				continue
			case "root":
				v = below(v)
				at.root = &v
			case "mountpoint":
				v = below(stripped(v))
				at.mount = &v
			default:
				return nil, fmt.Errorf("%s: %s: unknown parameter %s; use ref, root or mountpoint", name, env, key)
			}
			if err := proper(v); err != nil {
				return nil, fmt.Errorf("%s: %s: %s: %w", name, env, key, err)
			}
		}
		out[env] = at
	}
	return out, nil
}

func stripped(mount string) string { return strings.TrimPrefix(mount, "salt://") }

// below returns p without leading and trailing slashes.
func below(p string) string { return strings.Trim(p, "/") }

func proper(p string) error {
	if p == "" {
		return nil
	}
	if got, _, err := files.ParsePath("|"+p, "base"); err != nil || got.Rel != path.Clean(p) {
		return fmt.Errorf("%q is not a relative path", p)
	}
	return nil
}
