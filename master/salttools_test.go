package master

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// Salt's command salt looks for a socket of a running master, and after publishing for the load of
// its job. salt-api looks for another socket before each request.
func TestSaltToolsFindTheirFiles(t *testing.T) {
	r := newRig(t)
	r.start()
	r.accept("a", "minion")
	eventually(t, "the key of a", func() bool { return r.keys.Accepted("a") })
	marks := []string{filepath.Join(r.dir, "run", "publish_pull.ipc"), filepath.Join(r.dir, "run", "workers.ipc")}
	for _, mark := range marks {
		if info, err := os.Stat(mark); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mark: %v, %v", info, err)
		}
	}
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	b := oneFile(t, filepath.Join(r.dir, "cache", "jobs", "*", "*", ".load.p"))
	load, err := wire.DecodeMap(b)
	if err != nil || load.String("fun") != "test.ping" || load.String("tgt") != "*" || load.String("jid") != jid {
		t.Errorf("load %v, %v", load, err)
	}
	if load.Has("key") {
		t.Error("the load holds the user's key")
	}
	if b := oneFile(t, filepath.Join(r.dir, "cache", "jobs", "*", "*", ".minions.p")); string(b) != "\x91\xa1a" {
		t.Errorf("minions %x", b)
	}
	r.stop()
	for _, mark := range marks {
		if _, err := os.Stat(mark); !os.IsNotExist(err) {
			t.Errorf("the mark outlives the master: %v", err)
		}
	}
}

func TestNoJobFilesWithoutTheOption(t *testing.T) {
	for name, change := range map[string]func(*config.Master){
		"option":   func(c *config.Master) { c.JobCacheFiles = false },
		"database": func(c *config.Master) { c.MasterJobCache = "mysql" },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, change)
			r.open()
			if name == "option" { // there is no database
				r.serve()
				r.accept("a", "minion")
				eventually(t, "the key of a", func() bool { return r.keys.Accepted("a") })
				r.say(testJob("*", "glob"))
			}
			if files, err := os.ReadDir(filepath.Join(r.dir, "cache", "jobs")); err != nil || len(files) > 0 { // Salt creates the directory at the start
				t.Errorf("%v, %v", files, err)
			}
		})
	}
}

func oneFile(t *testing.T, pattern string) []byte {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return b
}
