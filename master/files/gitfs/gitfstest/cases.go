// Package gitfstest holds gitfs of this project against Salt's: cases of the same
// repositories and options, what a master of either serves of them, and the record of what
// Salt 3006 with GitPython did.
package gitfstest

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/files"
	_ "github.com/momtree/mom/master/files/gitfs" // the backend
	"github.com/momtree/mom/master/gitrepo/gitrepotest"
)

// Case is one configuration. ONE, TWO and SHA stand for the repositories and a commit.
type Case struct {
	Name, Options string
	// Envs are those that are looked into beside those that there are.
	Envs []string
}

// Cases are all of them.
var Cases = []Case{
	{"plain", "gitfs_remotes: [ONE]", []string{"main", "none", "SHA"}},
	{"base", "gitfs_base: main\ngitfs_remotes: [ONE, TWO]", []string{"main", "feature/x"}},
	{"root", "gitfs_remotes:\n  - ONE:\n    - base: main\n    - root: salt\n    - mountpoint: salt://deep/er", nil},
	{"root missing", "gitfs_base: main\ngitfs_root: nowhere\ngitfs_mountpoint: m\ngitfs_remotes: [ONE]", nil},
	{"fallback", "gitfs_base: main\ngitfs_fallback: dev\ngitfs_remotes: [ONE]", []string{"any", "main"}},
	{"fallback of one", "gitfs_base: main\ngitfs_remotes:\n  - ONE\n  - TWO:\n    - fallback: main\n    - mountpoint: two", []string{"any"}},
	{
		"saltenv", "gitfs_base: main\ngitfs_saltenv:\n  - prod:\n    - ref: v1\n  - dev:\n    - mountpoint: salt://g\n" +
			"gitfs_remotes:\n  - ONE:\n    - saltenv:\n      - stage:\n        - ref: feature/x\n        - root: salt\n      - dev:\n        - mountpoint: mine\n  - TWO",
		[]string{"feature/x", "v1"},
	},
	{"base by saltenv", "gitfs_remotes:\n  - ONE:\n    - saltenv:\n      - base:\n        - ref: dev", []string{"dev"}},
	{"no mapping", "gitfs_base: main\ngitfs_remotes:\n  - ONE:\n    - disable_saltenv_mapping: True\n    - saltenv:\n      - qa:\n        - ref: dev", []string{"dev", "main"}},
	{"ref types", "gitfs_base: main\ngitfs_ref_types: [tag]\ngitfs_remotes: [ONE]", []string{"dev", "SHA"}},
	{"branches", "gitfs_base: main\ngitfs_remotes:\n  - ONE:\n    - ref_types: branch", []string{"v1", "SHA"}},
	{"white", "gitfs_base: main\ngitfs_saltenv_whitelist: [base, 'v.*']\ngitfs_remotes: [ONE]", []string{"dev"}},
	{"black", "gitfs_base: main\ngitfs_saltenv_blacklist: ['feature/*', v2]\ngitfs_remotes: [ONE]", []string{"v2"}},
	{"sha base", "gitfs_base: SHA\ngitfs_ref_types: [sha]\ngitfs_remotes: [ONE]", nil},
	{"all saltenvs", "gitfs_base: main\ngitfs_remotes:\n  - ONE\n  - TWO:\n    - all_saltenvs: main\n    - mountpoint: all", []string{"none"}},
}

// Site are the repositories.
type Site struct {
	one, two *gitrepotest.Repo
	sha      plumbing.Hash
}

// NewSite makes them, always the same.
func NewSite(tb testing.TB) *Site {
	dir := tb.TempDir()
	s := &Site{one: gitrepotest.New(tb, filepath.Join(dir, "one")), two: gitrepotest.New(tb, filepath.Join(dir, "two"))}
	s.sha = s.one.Commit("main", gitrepotest.Files{"top.sls": "old", "old": "old"})
	f := gitrepotest.Files{
		"top.sls": "base: {}\n", "empty": "", "run*": "#!/bin/sh\n", "salt/a.sls": "a: 1\n", "salt/b/init.sls": "b: 2\n", "salt/b/c": "c",
		"l-file": "-> salt/a.sls", "l-up": "-> salt/../top.sls", "l-dir": "-> salt/b", "l-gone": "-> nothing", "l-abs": "-> /top.sls", "l-out": "-> ../../x",
		"salt/l-out": "-> ../top.sls", "salt/l-two": "-> b/l-one", "salt/b/l-one": "-> c", "mod@": "", "ü/ö.txt": "umlaut",
	}
	head := s.one.Commit("main", f)
	s.one.Commit("dev", gitrepotest.Files{"top.sls": "dev", "salt/dev": "d", "l-file": "-> top.sls"})
	s.one.Commit("feature/x", gitrepotest.Files{"top.sls": "x", "salt/x": "x"})
	s.one.Ref("refs/tags/v1", s.sha)
	s.one.Annotate("v2", head, plumbing.CommitObject)
	s.two.Commit("main", gitrepotest.Files{"top.sls": "second", "only2": "2", "l-file": "-> only2", "d/e": "e"})
	s.two.Commit("dev", gitrepotest.Files{"two-dev": "2"})
	return s
}

// Text fills in the repositories.
func (s *Site) Text(text string) string {
	return strings.NewReplacer("ONE", s.one.URL(), "TWO", s.two.URL(), "SHA", s.sha.String()).Replace(text)
}

// Answer is what a master serves.
type Answer struct {
	Envs []string
	Of   map[string]Env
}

// Env is what it serves of one environment. Hashes are of the files that can be had.
type Env struct {
	Files, Dirs, Empty []string
	Links              map[string]string
	Hashes             map[string]string
	Modes              map[string]int64
}

// Probes are paths that are asked for beside those that are listed.
var Probes = []string{"salt/a.sls", "l-dir/c", "mod", "salt", "deep/er/l-out", "deep/er/b/c", "../one/HEAD", "two/only2", "mine/top.sls"}

// Ours asks a master of this project.
func Ours(tb testing.TB, s *Site, c Case) Answer {
	tb.Helper()
	dir := tb.TempDir()
	text := "root_dir: " + dir + "\nfileserver_backend: [git]\n" + s.Text(c.Options) + "\n"
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	cfg, warn, err := config.LoadMaster(dir)
	if err != nil || len(warn) > 0 {
		tb.Fatalf("%v, %v", warn, err)
	}
	srv, err := files.New(files.Options{Config: cfg, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	defer srv.Close()
	ctx := tb.Context()
	if err := srv.Update(ctx, "", nil); err != nil {
		tb.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	out := Answer{Of: map[string]Env{}}
	out.Envs, err = srv.Envs(ctx, "")
	must(err)
	for _, env := range s.envs(c, out.Envs) {
		var e Env
		for form, into := range map[files.Form]*[]string{files.Files: &e.Files, files.Dirs: &e.Dirs, files.EmptyDirs: &e.Empty} {
			*into, err = srv.List(ctx, env, form, "", "")
			must(err)
		}
		links, err := srv.Links(ctx, env, "", "")
		must(err)
		e.Links, e.Hashes, e.Modes = map[string]string{}, map[string]string{}, map[string]int64{}
		for _, k := range links.Keys() {
			e.Links[fmt.Sprint(k)] = links.String(fmt.Sprint(k))
		}
		for _, p := range slices.Concat(e.Files, Probes) {
			f, err := srv.Find(ctx, env, p)
			if isMissing(err) {
				continue
			}
			must(err)
			sum, err := srv.Hash(ctx, f)
			must(err)
			e.Hashes[p], e.Modes[p] = sum, f.Stat[0]
		}
		out.Of[env] = e
	}
	return out.sorted()
}

func isMissing(err error) bool {
	return err != nil && strings.Contains(err.Error(), fs.ErrNotExist.Error())
}

// envs are the environments that are looked into.
func (s *Site) envs(c Case, there []string) []string {
	out := slices.Clone(there)
	for _, env := range c.Envs {
		out = append(out, s.Text(env))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sorted has lists in one order and form.
func (a Answer) sorted() Answer {
	if a.Envs == nil {
		a.Envs = []string{}
	}
	for name, e := range a.Of {
		for _, l := range []*[]string{&e.Files, &e.Dirs, &e.Empty} {
			slices.Sort(*l)
			if *l == nil {
				*l = []string{}
			}
		}
		a.Of[name] = e
	}
	return a
}
