package load

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/lab/swarm"
)

// fetchers are minions below the lowest of three tiers. Files and pillars come from the top.
type fetchers struct {
	dir     string
	cluster *localcluster.Cluster
	procs   map[string]*localcluster.Process
	roots   string // file_roots of the top
	swarm   *swarm.Swarm
	sums    map[string]string // hashes of files, by name
	tries   int
}

const (
	fetching  = 12 // minions, half of them stock ones
	fileSize  = 2 << 20
	cacheSize = 8 // MiB of copies that a node may keep
)

// plantFetchers starts the tree and the minions.
func plantFetchers(ctx context.Context, t *testing.T) *fetchers {
	t.Helper()
	x := &fetchers{roots: t.TempDir(), sums: map[string]string{}, procs: map[string]*localcluster.Process{}}
	t.Cleanup(func() { x.stop(t) })
	pillar := t.TempDir()
	for name, text := range map[string]string{"top.sls": "base:\n  '*':\n    - own\n", "own.sls": "minion: {{ grains.id }}\n"} {
		if err := os.WriteFile(filepath.Join(pillar, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	above := fmt.Sprintf("rehome: False\nfile_roots: {base: [%s]}\npillar_roots: {base: [%s]}\n", x.roots, pillar)
	below := fmt.Sprintf("rehome: False\nfileserver_backend: [roots, upstream]\npillar_upstream: True\nupstream_check: 1\nfile_cache_size: %d\n", cacheSize)
	spec := localcluster.Spec{ID: "top", Master: above, Nodes: []localcluster.Spec{{ID: "mid", Master: below, Nodes: []localcluster.Spec{{ID: "low", Master: below}}}}}
	ids := swarm.IDs{Pattern: "f%02d", Count: fetching}
	keys := &swarm.Keys{Dir: t.TempDir(), Count: 1}
	if err := keys.Make(ctx, ids, nil); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "mg") // short: the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	x.dir = dir
	if x.cluster, err = localcluster.Plant(dir, spec); err != nil {
		t.Fatal(err)
	}
	low, _ := x.cluster.Find("low")
	if _, err := swarm.Seed(filepath.Join(low.Dir, "etc/salt/pki/master"), ids, keys); err != nil {
		t.Fatal(err)
	}
	for _, m := range x.cluster.Members {
		if x.procs[m.ID], err = localcluster.Start(program, m); err != nil {
			t.Fatal(err)
		}
	}
	x.swarm, err = swarm.New(swarm.Config{
		Host: "127.0.0.1", Port: low.RetPort, IDs: ids, Keys: keys, Source: swarm.Loopback, MomShare: 0.5, PillarID: "minion",
		Timers: swarm.Timers{RequestTimeout: 20 * time.Second}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	live, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- x.swarm.Run(live) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	waiting.UntilDone(ctx, t, "all minions are ready", func() bool { return x.swarm.Report().Ready.Done == fetching })
	return x
}

// stop ends all processes and checks that none has panicked.
func (x *fetchers) stop(t *testing.T) {
	t.Helper()
	if err := localcluster.StopAll(slices.Collect(maps.Values(x.procs)), 30*time.Second); err != nil {
		t.Error(err)
	}
	for id, p := range x.procs {
		b, err := os.ReadFile(filepath.Join(p.Dir, "console"))
		if err != nil || bytes.Contains(b, []byte("panic")) || bytes.Contains(b, []byte("DATA RACE")) {
			t.Errorf("%s: %v\n%s", id, err, b)
		}
	}
	if err := os.RemoveAll(x.dir); err != nil {
		t.Error(err)
	}
}

// lay creates a new file at the top.
func (x *fetchers) lay(t *testing.T, name string, seed uint64) {
	t.Helper()
	b := make([]byte, fileSize)
	_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(b) // never fails
	sum := sha256.Sum256(b)
	x.sums[name] = hex.EncodeToString(sum[:])
	if err := os.WriteFile(filepath.Join(x.roots, name), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// ask publishes a job at the lowest tier and returns its jid.
func (x *fetchers) ask(ctx context.Context, t *testing.T, fun string, args ...any) string {
	t.Helper()
	low, _ := x.cluster.Find("low")
	c, err := client.Open(low.ConfDir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := c.Publish(ctx, client.Job{Tgt: "*", Fun: []string{fun}, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return p.JID
}

// fetched waits until all minions have answered a job, and returns what they fetched.
func (x *fetchers) fetched(ctx context.Context, t *testing.T, jid string) (w swarm.Work) {
	t.Helper()
	waiting.UntilDone(ctx, t, "all minions have answered "+jid, func() bool {
		for _, j := range x.swarm.Report().Jobs {
			if j.JID == jid && j.Work != nil && j.AcknowledgedMinions == fetching {
				w = *j.Work
				return true
			}
		}
		return false
	})
	return w
}

// fetch makes all minions fetch a file to a new path.
func (x *fetchers) fetch(ctx context.Context, t *testing.T, name string) string {
	x.tries++
	return x.ask(ctx, t, "cp.get_file", "salt://"+name, fmt.Sprintf("/tmp/%s-%d", name, x.tries))
}

// never checks that no minion has other content than the file's.
func (x *fetchers) never(t *testing.T, name string, w swarm.Work) {
	t.Helper()
	if w.Wrong != 0 || w.Files != w.Sums[x.sums[name]] || w.Files+w.Failed+w.Absent != fetching {
		t.Errorf("%s: %+v", name, w)
	}
}

// until fetches a file repeatedly until all minions have it.
func (x *fetchers) until(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	waiting.UntilDone(ctx, t, "all have "+name, func() bool {
		w := x.fetched(ctx, t, x.fetch(ctx, t, name))
		x.never(t, name, w)
		return w.Files == fetching
	})
}

// copies lists the files that a node has cached from its parent.
func (x *fetchers) copies(t *testing.T, node string) (paths []string, size int64) {
	t.Helper()
	m, _ := x.cluster.Find(node)
	err := filepath.WalkDir(m.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(filepath.Dir(path)) != "file_copies" && filepath.Base(filepath.Dir(filepath.Dir(path))) != "file_copies" {
			return nil //nolint:nilerr // it has just gone
		}
		if st, err := d.Info(); err == nil && st.Size() > 0 {
			paths, size = append(paths, path), size+st.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths, size
}

// TestFilesOverThreeTiers lets twelve minions of both kinds, two nodes below the top, fetch files of
// 2 MiB and pillars that only the top has. Meanwhile the middle node is killed, is away, and comes
// back with damaged bytes in its cache. Each fetched file must have the hash of the file at the top.
// An unreachable file must be an error and never "not there". In the end all minions must have
// everything, and caches must stay within file_cache_size.
func TestFilesOverThreeTiers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	x := plantFetchers(ctx, t)
	x.lay(t, "first", 1)
	x.until(ctx, t, "first")
	if w := x.fetched(ctx, t, x.ask(ctx, t, "pillar.items")); w.Pillars != fetching || w.Foreign+w.Faulty+w.Failed != 0 {
		t.Errorf("pillars of the top: %+v", w)
	}
	for round := range uint64(3) {
		name := fmt.Sprintf("killed%d", round)
		x.lay(t, name, 2+round)
		jid := x.fetch(ctx, t, name)
		if err := x.procs["mid"].Kill(); err != nil {
			t.Fatal(err)
		}
		if round == 2 { // damage its cache
			paths, _ := x.copies(t, "mid")
			for _, path := range paths {
				if b, err := os.ReadFile(path); err == nil && len(b) == fileSize {
					b[fileSize/2] ^= 1
					if err := os.WriteFile(path, b, 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		mid, _ := x.cluster.Find("mid")
		var err error
		if x.procs["mid"], err = localcluster.Start(program, mid); err != nil {
			t.Fatal(err)
		}
		x.never(t, name, x.fetched(ctx, t, jid))
		x.until(ctx, t, name)
	}
	x.until(ctx, t, "first") // cached on the way, or fetched again
	x.lay(t, "away", 9)
	if err := x.procs["mid"].Kill(); err != nil {
		t.Fatal(err)
	}
	if w := x.fetched(ctx, t, x.fetch(ctx, t, "away")); w.Failed != fetching || w.Absent+w.Files != 0 {
		t.Errorf("a file that no node below has, while the middle node is away: %+v", w)
	}
	if w := x.fetched(ctx, t, x.ask(ctx, t, "pillar.items")); w.Faulty+w.Failed != fetching || w.Foreign > w.Faulty {
		t.Errorf("pillars while the middle node is away: %+v", w)
	}
	mid, _ := x.cluster.Find("mid")
	var err error
	if x.procs["mid"], err = localcluster.Start(program, mid); err != nil {
		t.Fatal(err)
	}
	x.until(ctx, t, "away")
	waiting.UntilDone(ctx, t, "all have their pillar", func() bool {
		w := x.fetched(ctx, t, x.ask(ctx, t, "pillar.items"))
		return w.Pillars == fetching && w.Faulty+w.Foreign+w.Failed == 0
	})
	for _, node := range []string{"mid", "low"} {
		paths, size := x.copies(t, node)
		if size == 0 || size > cacheSize<<20+fileSize {
			t.Errorf("%s caches %d bytes in %d files, the limit is %d MiB", node, size, len(paths), cacheSize)
		}
	}
}
