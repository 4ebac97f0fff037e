package pillar

import (
	"strings"
	"sync"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/gitrepo/gitrepotest"
	"github.com/momtree/mom/value"
)

// gitRig is a compiler with git remotes: ONE and TWO stand for two repositories.
func gitRig(t *testing.T, remotes ...any) (*rig, *gitrepotest.Repo) {
	t.Helper()
	one, two := gitrepotest.New(t, t.TempDir()), gitrepotest.New(t, t.TempDir())
	one.Commit("master", gitrepotest.Files{
		"top.sls": "base:\n  '*': [a, missing]\n  'm2': [secret]\n", "a.sls": "include: [web.app]\na: {{ grains.role }}\nenv: {{ saltenv }}\n",
		"web/app.sls": "app: here\n", "secret.sls": "secret: 1\n", "missing.sls": "m: '{% import_text \"t.txt\" as t %}{{ t }}'\n", "t.txt": "imported",
		"sub/top.sls": "base:\n  '*': [s]\n", "sub/s.sls": "s: sub\n",
	})
	one.Commit("dev", gitrepotest.Files{"top.sls": "dev:\n  '*': [a]\n", "a.sls": "a: dev\n"})
	one.Commit("other", gitrepotest.Files{"top.sls": "base:\n  '*': [x]\n", "x.sls": "x: 1\n"})
	two.Commit("master", gitrepotest.Files{"top.sls": "base:\n  '*': [two, web.app]\n", "two.sls": "two: 2\na: two\n", "app.sls": "app: mounted\n", "web": "-> dir", "dir/app.sls": "app: linked\n"})
	var fill func(v any) any
	fill = func(v any) any {
		switch v := v.(type) {
		case string:
			return strings.NewReplacer("ONE", one.URL(), "TWO", two.URL()).Replace(v)
		case []any:
			for i := range v {
				v[i] = fill(v[i])
			}
		case map[string]any:
			out := map[string]any{}
			for k, e := range v {
				out[fill(k).(string)] = e
			}
			return out
		}
		return v
	}
	return newRig(t, nil, func(c *config.Master) { c.ExtPillar = []any{map[string]any{"git": fill(remotes)}} }), one
}

func remote(id string, params map[string]any) map[string]any { return map[string]any{id: params} }

// TestGit: top files, environments, directories, includes across remotes and the branch of the
// environment are as in Salt.
func TestGit(t *testing.T) {
	for name, c := range map[string]struct {
		remotes []any
		env     string
		want    string
	}{
		"branch":          {[]any{"master ONE"}, "", `{"a": "web", "env": "base", "app": "here", "m": "imported"}`},
		"default branch":  {[]any{remote("ONE", map[string]any{"root": "sub"})}, "", `{"s": "sub"}`},
		"root":            {[]any{remote("master ONE", map[string]any{"root": "/sub/"})}, "", `{"s": "sub"}`},
		"another env":     {[]any{"dev ONE"}, "base", `{}`},
		"env of branch":   {[]any{"dev ONE"}, "dev", `{"a": "dev"}`},
		"env":             {[]any{remote("other ONE", map[string]any{"env": "base"})}, "base", `{"x": 1}`},
		"__env__":         {[]any{"__env__ ONE"}, "dev", `{"a": "dev"}`},
		"__env__ base":    {[]any{remote("__env__ ONE", map[string]any{"base": "other"})}, "base", `{"x": 1}`},
		"__env__ missing": {[]any{"__env__ ONE"}, "nowhere", `{}`},
		"fallback":        {[]any{remote("__env__ ONE", map[string]any{"fallback": "other", "env": "base"})}, "base", `{"a": "web", "env": "base", "app": "here", "m": "imported"}`},
		"all saltenvs":    {[]any{remote("__env__ ONE", map[string]any{"all_saltenvs": "dev"})}, "dev", `{"a": "dev"}`},
		"two":             {[]any{remote("master ONE", map[string]any{"root": "sub"}), "master TWO"}, "", `{"s": "sub", "two": 2, "a": "two", "app": "linked"}`},
		"mounted":         {[]any{remote("master TWO", map[string]any{"mountpoint": "web"}), "master ONE"}, "", `{"a": "web", "env": "base", "app": "here", "m": "imported"}`},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := gitRig(t, c.remotes...)
			r.want(name, r.get(func(q *Request) { q.Pillarenv = c.env }), c.want)
		})
	}
}

// TestGit_Mounted: files missing in one remote come from another one mounted there, but not without
// git_pillar_includes.
func TestGit_Mounted(t *testing.T) {
	for _, includes := range []bool{true, false} {
		r, one := gitRig(t, "master ONE", remote("master TWO", map[string]any{"mountpoint": "web"}))
		one.Commit("master", gitrepotest.Files{"top.sls": "base:\n  '*': [web.app]\n"})
		r.cfg.GitPillarIncludes = includes
		p := r.get()
		if got := p.String("app"); (got == "mounted") != includes || p.Has("_errors") == includes {
			t.Errorf("includes %v: %s", includes, asJSON(t, p))
		}
	}
}

// TestGit_Wrong: errors name the remote without its password, and never leave an incomplete pillar;
// the last fetch is used while the remote is away.
func TestGit_Wrong(t *testing.T) {
	for want, remotes := range map[string][]any{
		"no branch and no tag nope":         {"nope ONE"},
		"the folder none of master":         {remote("master ONE", map[string]any{"root": "none"})},
		"unknown parameter saltenv":         {remote("master ONE", map[string]any{"saltenv": "x"})},
		"base is for the branch __env__":    {remote("master ONE", map[string]any{"base": "x"})},
		"fetch http://joe@127.0.0.1:1/x":    {"master http://joe:hush@127.0.0.1:1/x"},
		"unknown scheme":                    {"master ftp://host/x"},
		"set a distinct name for each":      {"master ONE", "master ONE"},
		"no remotes":                        {},
		"should be a URL":                   {int64(1)},
		"Rendering SLS 'missing' failed.":   {"broken ONE"},
		"No matching pillar environment":    {"strange ONE"},
		"should be followed by a list of p": {map[string]any{"master ONE": nil}},
	} {
		r, one := gitRig(t, remotes...)
		one.Commit("broken", gitrepotest.Files{"top.sls": "base:\n  '*': [missing]\nbroken:\n  '*': [missing]\n", "missing.sls": "{{ 1 + }}"})
		one.Commit("strange", gitrepotest.Files{"top.sls": "elsewhere:\n  '*': [x]\n"})
		p := r.get()
		if got := asJSON(t, p.List("_errors")); !strings.Contains(got, want) || strings.Contains(got+r.log.text(), "hush") {
			t.Errorf("%s: %s", want, asJSON(t, p))
		}
	}
	r, one := gitRig(t, "master ONE")
	r.want("before", r.get(), `{"a": "web", "env": "base", "app": "here", "m": "imported"}`)
	one.Delete("refs/heads/master")
	r.want("gone, and not fetched", r.get(), `{"a": "web", "env": "base", "app": "here", "m": "imported"}`)
	r.open() // also after a restart
	r.want("after a restart", r.get(), `{"a": "web", "env": "base", "app": "here", "m": "imported"}`)
}

// Attack: a minion names an environment that is a path, or a commit.
func TestGit_HostileEnv(t *testing.T) {
	r, one := gitRig(t, "__env__ ONE")
	h := one.Commit("secret", gitrepotest.Files{"top.sls": "{{ pillarenv }}: {'*': [x]}", "x.sls": "x: 1"})
	for _, env := range []string{"../../x", "refs/heads/master", h.String(), "HEAD", "origin/master", "\x00"} {
		if p := r.get(func(q *Request) { q.Pillarenv = env }); p.Len() > 0 && !p.Has("_errors") {
			t.Errorf("%q: %s", env, asJSON(t, p))
		}
	}
}

// Attack (2023-20898): a request for one environment reads what one for another environment checked
// out. Here 64 concurrent requests ask for one of two.
func TestCVE2023_20898(t *testing.T) {
	r, one := gitRig(t, "__env__ ONE")
	one.Commit("dev", gitrepotest.Files{"top.sls": "dev:\n  '*': [which]\n", "which.sls": "which: dev\n"})
	one.Commit("qa", gitrepotest.Files{"top.sls": "qa:\n  '*': [which]\n", "which.sls": "which: qa\n"})
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			env := []string{"dev", "qa"}[i%2]
			p, err := r.c.Compile(t.Context(), Request{ID: "m1", Grains: grains(), Pillarenv: env})
			if err != nil || p.String("which") != env || p.Has("_errors") {
				t.Errorf("%s: %v, %v", env, value.Plain(p), err)
			}
		})
	}
	wg.Wait()
}
