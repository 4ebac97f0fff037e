package roots

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/files"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// plant creates files: a name that ends in / is a directory, "a -> b" a link.
func plant(t testing.TB, entries ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name, to, isLink := strings.Cut(e, " -> ")
		full := filepath.Join(dir, name)
		parent := filepath.Dir(full)
		if strings.HasSuffix(name, "/") {
			parent = full
		}
		err := os.MkdirAll(parent, 0o755)
		switch {
		case err != nil || parent == full:
		case isLink:
			err = os.Symlink(strings.ReplaceAll(to, "DIR", dir), full)
		default:
			err = os.WriteFile(full, []byte("content of "+name), 0o640)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tree(t testing.TB, change func(*config.Master), roots map[string][]string) *Tree {
	t.Helper()
	c := config.DefaultMaster()
	if change != nil {
		change(c)
	}
	rules, err := files.NewIgnoreRules(c)
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Roots: roots, Ignore: rules, Follow: c.FileserverFollowsymlinks, Hide: c.FileserverIgnoresymlinks, Log: quiet})
}

// read returns the content served under a path, "" if nothing is.
func read(t testing.TB, tr *Tree, env, path string) string {
	t.Helper()
	p, env, err := files.ParsePath(path, env)
	if err != nil {
		return ""
	}
	f, err := tr.Find(t.Context(), env, p)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
		return ""
	}
	c, err := f.Open(t.Context())
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return ""
	}
	defer c.Close()
	buf := make([]byte, f.Size)
	if _, err := c.ReadAt(buf, 0); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if len(f.Stat) != 10 || f.Stat[0] != 0o100640 || f.Stat[6] != f.Size || f.Key == "" || f.Rel != p.Rel {
		t.Errorf("%s: %+v", path, f)
	}
	return string(buf)
}

// TestFind: the order of roots, environments, __env__, and one root by its index.
func TestFind(t *testing.T) {
	one, two := plant(t, "both", "only1", "dir/"), plant(t, "both", "only2", "dir")
	any := plant(t, "qa/salt/x", "prod/salt/x")
	tr := tree(t, nil, map[string][]string{"base": {one, "/nonexistent", two}, "dev": {two}, AnyEnv: {any + "/__env__/salt"}})
	for _, c := range []struct{ env, path, want string }{
		{"base", "both", "content of both"},
		{"base", "only2", "content of only2"},
		{"base", "both?index=2", "content of both"},
		{"base", "only1?index=2", ""},
		{"base", "both?index=7", ""},
		{"base", "dir", "content of dir"}, // in the first root it is a directory
		{"base", "none", ""},
		{"base", "both/x", ""},
		{"dev", "only1", ""},
		{"qa", "x", "content of qa/salt/x"},
		{"base", "x?saltenv=prod", "content of prod/salt/x"},
		{AnyEnv, "x", ""},
		{"none", "x", ""},
		{"base", strings.Repeat("n", 300), ""},
	} {
		if got := read(t, tr, c.env, c.path); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.path, c.env, got, c.want)
		}
	}
	if envs, _ := tr.Envs(t.Context()); !slices.Equal(envs, []string{AnyEnv, "base", "dev"}) {
		t.Errorf("%v", envs)
	}
}

// Attack: an environment that is a path leaves the directories of __env__.
func TestFind_HostileEnv(t *testing.T) {
	dir := plant(t, "envs/qa/x", "x", "secret/x", "envs/x")
	tr := tree(t, nil, map[string][]string{AnyEnv: {dir + "/envs/__env__"}})
	for _, env := range []string{".", "..", "../secret", "qa/..", "qa/../..", "a/b"} {
		if f, err := tr.Find(t.Context(), env, files.Path{Rel: "x", Index: -1}); err == nil {
			t.Errorf("environment %q serves %s", env, f.Path)
		}
	}
}

// Attack (2020-11652, 2024-22232): links that leave the roots expose other files, even if the
// target path begins like a root.
func TestFind_LinksOut(t *testing.T) {
	dir := plant(t, "root/a", "root2/secret", "secret", "root/in -> a", "root/abs -> DIR/root/a", "root/out -> ../secret", "root/outabs -> DIR/secret",
		"root/dir -> ..", "root/near -> ../root2/secret", "root/loop -> loop", "root/chain -> out", "more/m", "root/more -> ../more/m", "root/etc -> /etc")
	tr := tree(t, nil, map[string][]string{"base": {dir + "/root", dir + "/more"}})
	for path, want := range map[string]string{
		"in": "content of root/a", "abs": "content of root/a", "more": "content of more/m",
		"out": "", "outabs": "", "dir/secret": "", "near": "", "loop": "", "chain": "", "etc/passwd": "", "dir/root/a": "content of root/a",
	} {
		if got := read(t, tr, "base", path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	l, err := tr.List(t.Context(), "base")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range l.Files {
		if strings.HasPrefix(f, "dir/") || strings.HasPrefix(f, "etc/") {
			t.Errorf("%s is listed", f)
		}
	}
}

// TestOpen_Swapped: a file replaced between Find and Open is not served, whether by another file or
// by a link out of the root.
func TestOpen_Swapped(t *testing.T) {
	dir := plant(t, "root/a", "secret")
	tr := tree(t, nil, map[string][]string{"base": {dir + "/root"}})
	for what, swap := range map[string]func(path string) error{
		"a link out":   func(path string) error { return os.Symlink("../secret", path) },
		"another file": func(path string) error { return os.WriteFile(path, []byte("other"), 0o600) },
	} {
		f, err := tr.Find(t.Context(), "base", files.Path{Rel: "a", Index: -1})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "root", "a")
		if err := os.Rename(path, path+".was"); err != nil {
			t.Fatal(err)
		}
		if err := swap(path); err != nil {
			t.Fatal(err)
		}
		if c, err := f.Open(t.Context()); err == nil {
			t.Errorf("%s is served", what)
			_ = c.Close()
		}
		if err := os.Rename(path+".was", path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestList: files, empty directories and links are listed as in Salt.
func TestList(t *testing.T) {
	dir := plant(t, "root/a", "root/d/f", "root/e/", "root/link -> a", "root/dlink -> d", "root/up -> ../out", "root/d/back -> ..", "root/dangling -> none",
		"out/x", "two/d/g", "two/a")
	roots := map[string][]string{"base": {dir + "/root", dir + "/two"}}
	for name, c := range map[string]struct {
		change func(*config.Master)
		want   files.List
	}{
		"follow": {nil, files.List{
			Files: []string{"a", "d/f", "d/g", "dangling", "dlink/f", "link"}, Dirs: []string{"d", "d/back", "dlink", "dlink/back", "e", "up"}, EmptyDirs: []string{"e"},
			Links: map[string]string{"link": "a", "dlink": "d", "d/back": "..", "dlink/back": "..", "dangling": "none", "up": "../out"},
		}},
		"not follow": {func(c *config.Master) { c.FileserverFollowsymlinks = false }, files.List{
			Files: []string{"a", "d/f", "d/g", "dangling", "link"}, Dirs: []string{"d", "d/back", "dlink", "e", "up"}, EmptyDirs: []string{"e"},
			Links: map[string]string{"link": "a", "dlink": "d", "d/back": "..", "dangling": "none", "up": "../out"},
		}},
		"hide": {func(c *config.Master) { c.FileserverIgnoresymlinks = true }, files.List{
			Files: []string{"a", "d/f", "d/g", "dlink/f"}, Dirs: []string{"d", "e"}, EmptyDirs: []string{"e"}, Links: map[string]string{},
		}},
		"ignore": {func(c *config.Master) {
			c.FileIgnoreGlob, c.FileIgnoreRegex = []string{"d*"}, []string{"^link$", "^up"}
		}, files.List{
			Files: []string{"a"}, Dirs: []string{"e"}, EmptyDirs: []string{"e"}, Links: map[string]string{},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := tree(t, c.change, roots).List(t.Context(), "base")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, *l); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := tree(t, nil, roots).List(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown environment: %v", err)
	}
}

// TestIgnored: as in Salt, the expressions match the path in the environment for lists, and the
// full path for lookups.
func TestIgnored(t *testing.T) {
	dir := plant(t, "root/secretdir/k", "root/x.bak")
	tr := tree(t, func(c *config.Master) {
		c.FileIgnoreRegex, c.FileIgnoreGlob = []string{"/secretdir($|/)"}, []string{"*.bak"}
	},
		map[string][]string{"base": {dir + "/root"}})
	if got := read(t, tr, "base", "secretdir/k") + read(t, tr, "base", "x.bak"); got != "" {
		t.Errorf("served: %q", got)
	}
	l, err := tr.List(t.Context(), "base")
	if err != nil || !slices.Equal(l.Files, []string{"secretdir/k"}) {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestUpdate: added, removed and changed files are reported.
func TestUpdate(t *testing.T) {
	dir := plant(t, "root/a", "root/b", "root/c")
	b := &backend{Tree: tree(t, nil, map[string][]string{"base": {dir + "/root"}})}
	if b.Interval() != 0 {
		t.Error("directories are walked without a subscriber")
	}
	m, err := b.Update(t.Context(), nil)
	if err != nil || m.Bool("changed") {
		t.Errorf("the first look: %#v, %v", m, err)
	}
	at := time.Now().Add(time.Hour)
	if err := errors.Join(os.Remove(dir+"/root/a"), os.Chtimes(dir+"/root/b", at, at), os.WriteFile(dir+"/root/new", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	m, err = b.Update(t.Context(), nil)
	if err != nil || !m.Bool("changed") || m.String("backend") != "roots" {
		t.Errorf("%#v, %v", m, err)
	}
	for k, want := range map[string]string{"changed": "b", "removed": "a", "added": "new"} {
		if got := m.Map("files").Strings(k); !slices.Equal(got, []string{dir + "/root/" + want}) {
			t.Errorf("%s: %v", k, got)
		}
	}
}
