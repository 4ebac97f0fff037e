package ext

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/master/gitrepo"
	"github.com/momtree/mom/value"
)

func init() {
	Register(Source{
		Name: "git",
		Check: func(conf any) error {
			_, err := gitEntries(conf)
			return err
		},
		Open: openGit,
		Doc: `
The pillar of git repositories: each has a top file and SLS, as folders of pillar_roots do.
The argument is a list of remotes, each "BRANCH URL" with parameters below it. The branch
__env__ is the one that is called as the pillar environment that is asked for.

name
    The name of its copy, where two remotes have the same address.
env
    The pillar environment. Else that of the branch: base for git_pillar_base.
root
    The folder of the repository that is read.
mountpoint
    Makes it no pillar of its own, but SLS below this folder for the others.
base
    With __env__: the branch that is the environment base.
all_saltenvs
    With __env__: the one branch for all environments.
fallback
    The branch where the one that is asked for is not there.
user, password, insecure_auth, privkey, pubkey, passphrase, ssl_verify, refspecs
    As the options git_pillar_*, for this remote.

    ext_pillar:
      - git:
        - main https://git.example.com/pillar.git
        - __env__ https://git.example.com/apps.git:
          - root: pillar
`,
	})
}

const anyBranch = "__env__"

var gitParams = slices.Concat(gitrepo.AuthParams, []string{"all_saltenvs", "base", "env", "fallback", "mountpoint", "name", "refspecs", "root"})

// gitRemote is one remote of an entry.
type gitRemote struct {
	repo                                *gitrepo.Repo
	id, name, url, branch               string
	base, env, root, mount, all, fallTo string
}

// Git is a git entry of ext_pillar.
type Git struct {
	remotes  []*gitRemote
	interval time.Duration
	o        Opening
}

func gitEntries(conf any) ([]gitrepo.Entry, error) {
	entries, err := gitrepo.Entries(conf, gitParams)
	if err == nil && len(entries) == 0 {
		err = errors.New("no remotes; want a list of BRANCH URL")
	}
	for _, e := range entries {
		branch, _, _ := strings.Cut(e.ID, " ")
		if e.Params["base"] != nil && branch != anyBranch {
			err = errors.Join(err, fmt.Errorf("%s: base is for the branch __env__ only", gitrepo.Redacted(e.ID)))
		}
	}
	return entries, err
}

func openGit(conf any, o Opening) (Entry, error) {
	entries, err := gitEntries(conf)
	if err != nil {
		return nil, err
	}
	g := &Git{interval: o.Config.GitPillarUpdateInterval, o: o}
	var faults []error
	taken := map[string]bool{}
	for _, e := range entries {
		r, err := newGitRemote(e, o, taken)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", shownRemote(e.ID), err))
			continue
		}
		g.remotes = append(g.remotes, r)
	}
	return g, errors.Join(faults...)
}

// shownRemote returns "BRANCH URL" without a password.
func shownRemote(id string) string {
	branch, url, ok := strings.Cut(id, " ")
	if !ok {
		return gitrepo.Redacted(id)
	}
	return branch + " " + gitrepo.Redacted(strings.TrimSpace(url))
}

func newGitRemote(e gitrepo.Entry, o Opening, taken map[string]bool) (*gitRemote, error) {
	c := o.Config
	r := &gitRemote{id: shownRemote(e.ID), branch: c.GitPillarBranch, url: e.ID}
	if branch, url, ok := strings.Cut(e.ID, " "); ok {
		r.branch, r.url = branch, strings.TrimSpace(url)
	}
	var faults []error
	for _, p := range []struct {
		name, def string
		into      *string
	}{
		{"name", "", &r.name},
		{"base", c.GitPillarBase, &r.base},
		{"env", c.GitPillarEnv, &r.env},
		{"root", c.GitPillarRoot, &r.root},
		{"mountpoint", "", &r.mount},
		{"all_saltenvs", "", &r.all},
		{"fallback", c.GitPillarFallback, &r.fallTo},
	} {
		var err error
		*p.into, err = e.Params.Text(p.name, p.def)
		faults = append(faults, err)
	}
	r.root = strings.Trim(r.root, "/")
	r.mount = strings.Trim(strings.TrimPrefix(r.mount, "salt://"), "/")
	auth, err := e.Params.Auth(gitrepo.Auth{
		User: c.GitPillarUser, Password: c.GitPillarPassword, Privkey: c.GitPillarPrivkey, Pubkey: c.GitPillarPubkey,
		Passphrase: c.GitPillarPassphrase, InsecureAuth: c.GitPillarInsecureAuth, AnyCert: !c.GitPillarSslVerify,
	})
	faults = append(faults, err)
	specs, err := e.Params.Texts("refspecs", c.GitPillarRefspecs)
	faults = append(faults, err)
	name := r.name
	if name == "" {
		name = fmt.Sprintf("%x", sha256.Sum256([]byte(e.ID)))
	}
	if !filepath.IsLocal(name) || name == "." {
		faults = append(faults, fmt.Errorf("name: %q is not a directory name", name))
	}
	if taken[name] {
		faults = append(faults, errors.New("another remote has the same cache directory; set a distinct name for each"))
	}
	taken[name] = true
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	dir := filepath.Join(c.Cachedir, "git_pillar", strings.ReplaceAll(name, "/", "_"))
	if one, ok := o.Shared[dir].(*gitrepo.Repo); ok { // of another entry
		if one.Name() != gitrepo.Redacted(r.url) {
			return nil, fmt.Errorf("name: another git entry has this name, for %s", one.Name())
		}
		r.repo = one
		return r, nil
	}
	r.repo, err = gitrepo.Open(gitrepo.Options{Dir: dir, URL: r.url, Refspecs: specs, Auth: auth, Log: o.Log})
	o.Shared[dir] = r.repo
	return r, err
}

// Run fetches the remotes every git_pillar_update_interval until ctx ends, except those being
// fetched already. It does not wait for these.
func (g *Git) Run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for ctx.Err() == nil {
		due := slices.DeleteFunc(g.repos(), (*gitrepo.Repo).Fetching)
		wg.Go(func() {
			if _, err := gitrepo.FetchAll(ctx, due); err != nil && ctx.Err() == nil {
				g.o.Log.Warn("git_pillar fetch failed, using the last fetched revision", "err", err)
			}
		})
		if timing.Sleep(ctx, g.interval) != nil {
			return
		}
	}
}

func (g *Git) repos() (out []*gitrepo.Repo) {
	for _, r := range g.remotes {
		out = append(out, r.repo)
	}
	return out
}

// Load compiles the pillar of a minion from the repositories.
func (g *Git) Load(ctx context.Context, c *Call) (*value.Map, error) {
	var dirs []gitDir
	for _, r := range g.remotes {
		d, ok, err := r.dir(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.id, err)
		}
		if ok {
			dirs = append(dirs, d)
		}
	}
	out := value.NewMap()
	for i, d := range dirs {
		env := d.env
		if env == anyBranch {
			env = first(c.Pillarenv, c.Saltenv, c.Config.GitPillarBase)
		}
		if c.Pillarenv != "" && env != c.Pillarenv || d.mount != "" {
			continue
		}
		files := gitFiles{env: env, dirs: []gitDir{d}}
		if c.Config.GitPillarIncludes {
			for j, other := range dirs {
				if j != i && other.env == env {
					files.dirs = append(files.dirs, other)
				}
			}
		}
		out = c.Host.Compile(ctx, env, files, out)
	}
	return out, nil
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// gitDir is a tree that contains SLS.
type gitDir struct {
	tree             gitrepo.Tree
	root, mount, env string
}

// dir returns the directory of a remote for a request; ok is false if the remote has none.
func (r *gitRemote) dir(ctx context.Context, c *Call) (d gitDir, ok bool, err error) {
	s, err := r.repo.Need(ctx)
	if err != nil {
		return d, false, err
	}
	want := r.branch
	if r.branch == anyBranch {
		if want = r.all; want == "" {
			//mutant:cve2023-20898-environment
			if want = first(c.Pillarenv, c.Saltenv, "base"); want == "base" {
				want = r.base
			}
		}
	}
	//mutant:git-pillar-no-commits
	types := []string{gitrepo.Branch, gitrepo.Tag}
	t, ok, err := s.Tree(types, want)
	if err == nil && !ok && r.fallTo != "" {
		t, ok, err = s.Tree(types, r.fallTo)
	}
	switch {
	case err != nil:
		return d, false, err
	case !ok && r.branch == anyBranch && r.all == "":
		c.Log.Debug("git_pillar repository has no branch for the environment", "repository", r.id, "branch", want)
		return d, false, nil
	case !ok:
		return d, false, fmt.Errorf("there is no branch and no tag %s", want)
	}
	if err := t.Folder(r.root); err != nil {
		return d, false, fmt.Errorf("the folder %s of %s: %w", r.root, want, err)
	}
	return gitDir{t, r.root, r.mount, r.envOf(c, want)}, true, nil
}

// envOf returns the pillar environment; __env__ stands for the requested one.
func (r *gitRemote) envOf(c *Call, want string) string {
	switch {
	case r.branch == anyBranch && r.all != "":
		return first(c.Pillarenv, c.Saltenv, "base")
	case r.env != "":
		return r.env
	case r.branch == r.base, want == r.base:
		return "base"
	}
	return want
}

// Update fetches the remotes of a branch and a repository, by its URL or name; "" means all. It
// stores the result by remote, as Salt does: true for a change, nil for none, false for an error,
// which is logged.
func (g *Git) Update(ctx context.Context, branch, repo string, into *value.Map) {
	for _, r := range g.remotes {
		if branch != "" && branch != r.branch || repo != "" && repo != r.url && repo != r.name {
			continue
		}
		switch changed, err := r.repo.Fetch(ctx); {
		case err != nil:
			g.o.Log.Error("git_pillar fetch failed", "err", err)
			into.Set(r.id, false)
		case changed:
			into.Set(r.id, true)
		default:
			into.Set(r.id, nil)
		}
	}
}

// Unlock removes the locks of the remotes whose addresses match a pattern, "" for all.
func (g *Git) Unlock(remote string) (cleared []string, faults []error) {
	return gitrepo.UnlockAll(g.repos(), "git_pillar", remote)
}
