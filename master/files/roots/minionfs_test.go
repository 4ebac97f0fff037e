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

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/files"
)

func plantPushed(t *testing.T, change func(*config.Master)) files.Backend {
	t.Helper()
	c := config.DefaultMaster()
	c.Cachedir, c.FileRecv = t.TempDir(), true
	if change != nil {
		change(c)
	}
	box := files.NewInbox(c)
	for _, path := range []string{"web1/etc/motd", "web1/etc/top.sls", "web1/x.bak", "db1/etc/motd"} {
		parts := strings.Split(path, "/")
		if err := box.Take(files.Pushed{ID: parts[0], Parts: parts[1:], Data: []byte(path)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(c.Cachedir, "minions", "web1", "data.p"), []byte("grains"), 0o600); err != nil {
		t.Fatal(err)
	}
	rules, err := files.NewIgnoreRules(c)
	if err != nil {
		t.Fatal(err)
	}
	b, err := openPushed(files.Env{Config: c, Ignore: rules, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestMinionfs: pushed files are served below the mount point, limited by the lists of minions, and
// nothing else is.
func TestMinionfs(t *testing.T) {
	for name, c := range map[string]struct {
		change        func(*config.Master)
		files         []string
		served, never []string
	}{
		"all": {
			nil,
			[]string{"db1/etc/motd", "web1/etc/motd", "web1/x.bak"},
			[]string{"web1/etc/motd", "db1/etc/motd"},
			[]string{"web1/etc/top.sls", "web1", "web1/data.p", "web1/none", "none/etc/motd", ".hidden/x", "web1/etc"},
		},
		"mounted": {
			func(c *config.Master) { c.MinionfsMountpoint = "salt://pushed/" },
			[]string{"pushed/db1/etc/motd", "pushed/web1/etc/motd", "pushed/web1/x.bak"},
			[]string{"pushed/web1/etc/motd"},
			[]string{"web1/etc/motd", "pushedXweb1/etc/motd"},
		},
		"whitelist": {func(c *config.Master) { c.MinionfsWhitelist = []string{"web*"} }, []string{"web1/etc/motd", "web1/x.bak"}, nil, []string{"db1/etc/motd"}},
		"blacklist": {func(c *config.Master) { c.MinionfsBlacklist = []string{`web\d+`} }, []string{"db1/etc/motd"}, nil, []string{"web1/etc/motd"}},
		"both": {
			func(c *config.Master) { c.MinionfsWhitelist, c.MinionfsBlacklist = []string{"*1"}, []string{"db1"} },
			[]string{"web1/etc/motd", "web1/x.bak"},
			nil,
			[]string{"db1/etc/motd"},
		},
		"ignored": {func(c *config.Master) { c.FileIgnoreGlob = []string{"*.bak"} }, []string{"db1/etc/motd", "web1/etc/motd"}, nil, []string{"web1/x.bak"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := plantPushed(t, c.change)
			l, err := b.List(t.Context(), "base")
			if err != nil || !slices.Equal(l.Files, c.files) {
				t.Errorf("%v, %v", l, err)
			}
			for _, path := range c.served {
				if f, err := b.Find(t.Context(), "base", files.Path{Rel: path, Index: -1}); err != nil || f.Rel != path || f.Size == 0 {
					t.Errorf("%s: %+v, %v", path, f, err)
				}
			}
			for _, path := range c.never {
				if _, err := b.Find(t.Context(), "base", files.Path{Rel: path, Index: -1}); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %v", path, err)
				}
			}
			if _, err := b.List(t.Context(), "dev"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("another environment: %v", err)
			}
		})
	}
}

// TestOpen: unsupported options are errors at the start.
func TestOpen(t *testing.T) {
	for name, change := range map[string]func(*config.Master){
		"file_recv":           func(c *config.Master) { c.FileRecv = false },
		"minionfs_env":        func(c *config.Master) { c.MinionfsEnv = "../x" },
		"minionfs_mountpoint": func(c *config.Master) { c.MinionfsMountpoint = "salt://a/../.." },
	} {
		c := config.DefaultMaster()
		c.FileRecv = true
		change(c)
		if _, err := openPushed(files.Env{Config: c}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
