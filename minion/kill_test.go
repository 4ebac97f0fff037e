package minion

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// childEnv holds the configuration of the minion that the test program runs as.
const childEnv = "MINION_TEST_CHILD"

// child runs a minion in this process, for tests that kill it.
func child(text string) int {
	cfg := config.DefaultMinion()
	if err := json.Unmarshal([]byte(text), cfg); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	m, err := New(Options{Config: cfg, Version: "test", Log: testLog(), Collect: func(context.Context) *wire.Map {
		return wire.NewMap("id", cfg.ID)
	}})
	if err == nil {
		err = m.Run(context.Background())
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// startChild starts a minion in its own process; kill sends SIGKILL to it.
func startChild(t *testing.T, cfg *config.Minion) (kill func()) {
	t.Helper()
	text, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			_ = cmd.Process.Signal(syscall.SIGKILL)
			_ = cmd.Wait()
		}
	}
	t.Cleanup(kill)
	return kill
}

func TestKill_NineLosesNoReturn(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	kill := startChild(t, cfg)
	m.AwaitSubscribers(t, 1)

	// One job ends while the master is away, one never ends.
	dir := t.TempDir()
	gate, began := filepath.Join(dir, "gate"), filepath.Join(dir, "began")
	done, cut := newJID(), newJID()
	m.Publish(channeltest.Job(done, "m1", "cmd.run", "touch "+began+"; while [ ! -e "+gate+" ]; do sleep 0.01; done; echo through"))
	m.Publish(channeltest.Job(cut, "m1", "test.sleep", 600))
	waiting.Until(t, "both jobs to run", func() bool {
		_, err := os.Stat(began)
		left, lerr := filepath.Glob(filepath.Join(cfg.Cachedir, "proc", "[^.]*"))
		return err == nil && lerr == nil && len(left) == 2
	})
	m.Down()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stored := filepath.Join(cfg.Cachedir, "returns", "*", "*."+done)
	waiting.Until(t, "the return to be stored", func() bool {
		files, err := filepath.Glob(stored)
		return err == nil && len(files) == 1
	})
	kill()
	m.Up()
	startChild(t, cfg)
	if ret := m.AwaitReturn(t, done); ret.String("return") != "through" || !ret.Bool("success") {
		t.Errorf("return %#v", ret)
	}
	if ret := m.AwaitReturn(t, cut); ret.Bool("success") || !strings.Contains(ret.String("return"), "the minion ended") {
		t.Errorf("return %#v", ret)
	}
}
