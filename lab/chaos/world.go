//go:build linux

package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/momtree/mom/client"
)

// Options configure a [World].
type Options struct {
	Program string // built mom
	Dir     string // an empty directory for everything; short, since socket paths have at most 107 bytes
	// Namespaces is set if the process has entered namespaces of its own (Enter).
	Namespaces bool
	// Clock is set if Program is built with a clock that can be set (Build).
	Clock bool
	// Memory is the limit of a daemon's memory in bytes. Default 256 MiB.
	Memory int64
	// Store is MySQL, Postgres or Galera. Default MySQL.
	Store string
	// Settle is the time in which the tree must be whole again. Default 120 s.
	Settle time.Duration
	// Cluster makes the two tops one cluster. With Apart too, they use their own stores only, and no
	// MariaDB.
	Cluster, Apart bool
	// Bounds is the seed of small bounds for each member (package bounds). 0: the bounds of
	// production.
	Bounds uint64
	Log    io.Writer // a copy of Dir/events; nil: none
}

const (
	pubPort, retPort = 24505, 24506
	envRan           = "MOM_CHAOS_RAN"
	// suspect is how long a server of a cluster may be silent until the others go on without it: Galera's default is
	// 5 s, longer than many faults here.
	suspect = 2 * time.Second
	// diskSize is the size of each node's disk.
	diskSize = "size=192m"
)

// World is a running tree whose parts are broken on purpose.
type World struct {
	o       Options
	sky     *sky
	net     network
	sql     *databases
	members map[string]*member
	tops    map[string]*top
	started time.Time

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	events *os.File
	falls  []string
	hits   []*hit
	boxes  map[string]*fullness // by node
}

// New creates a world, starts it and waits until everything is up.
func New(ctx context.Context, o Options) (*World, error) {
	if o.Memory <= 0 {
		o.Memory = 256 << 20
	}
	if o.Settle <= 0 {
		o.Settle = 120 * time.Second
	}
	if o.Store == "" {
		o.Store = MySQL
	}
	w := &World{o: o, sky: newSky(stations + serversOf(o.Store) - 1), members: map[string]*member{}, tops: map[string]*top{}, started: time.Now(), boxes: map[string]*fullness{}}
	for _, id := range nodes() {
		w.boxes[id] = &fullness{node: id}
	}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	if err := w.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("set up a world in %s: %w", o.Dir, err), w.Close())
	}
	return w, nil
}

func (w *World) open(ctx context.Context) (err error) {
	if w.events, err = os.Create(filepath.Join(w.o.Dir, "events")); err != nil {
		return err
	}
	if err := w.connect(ctx); err != nil {
		return err
	}
	for i, r := range shape {
		m := &member{role: r, w: w, station: i, dir: filepath.Join(w.o.Dir, r.id)}
		w.members[r.id] = m
		if err := w.plant(m); err != nil {
			return err
		}
	}
	if err := w.exchangeKeys(); err != nil {
		return err
	}
	for _, r := range shape {
		if err := w.members[r.id].start(); err != nil {
			return err
		}
	}
	for _, id := range tops() {
		o, err := client.FromConfig(filepath.Join(w.members[id].dir, "conf"), nil)
		if err != nil {
			return err
		}
		w.tops[id] = newTop(id, o)
		w.wg.Go(func() { w.tops[id].watch(w.ctx) })
		w.wg.Go(func() { w.tops[id].lookAround(w.ctx) })
	}
	w.wg.Go(func() { w.watchOutboxes(w.ctx) })
	return w.await(ctx, "the new tree is whole", w.whole)
}

// connect sets up the network and the database.
func (w *World) connect(ctx context.Context) (err error) {
	w.sql = &databases{stations: serverStations(serversOf(w.o.Store))}
	if w.o.Namespaces {
		if w.net, err = newTunnels(w.sky, w.sky.n, host); err != nil {
			return err
		}
	}
	in := w.net
	if in == nil {
		in = &relays{} // until the port of the database is known
	}
	p := place{
		dir: w.o.Dir, suspect: suspect, note: w.note,
		within: func(server int, f func() error) error { return in.within(w.sql.stations[server], f) },
	}
	for _, s := range w.sql.stations {
		p.addrs = append(p.addrs, in.address(s, s))
	}
	if w.sql.store, err = newStore(ctx, w.o.Store, p); err != nil || w.o.Namespaces {
		return err
	}
	proxies, err := newRelays(w.sky, append(w.sql.dialed(), betweenTops()...), func(station int) []int {
		if slices.Contains(w.sql.stations, station) {
			return []int{w.sql.port()}
		}
		return []int{pubPort, retPort}
	})
	if err != nil {
		return err
	}
	w.net = proxies
	return nil
}

// Close stops everything. The directory stays.
func (w *World) Close() error {
	var wg sync.WaitGroup
	for _, m := range w.members {
		wg.Go(func() {
			_ = m.signal(unix.SIGCONT) // it may hang in a fault
			_ = m.end(true)            // its state does not matter any more
		})
	}
	wg.Wait()
	w.cancel()
	w.wg.Wait()
	var errs []error
	for _, t := range w.tops {
		errs = append(errs, t.client.Close())
	}
	if w.sql != nil && w.sql.store != nil {
		errs = append(errs, w.sql.close())
	}
	if w.net != nil {
		errs = append(errs, w.net.close())
	}
	if w.o.Namespaces {
		for _, m := range w.members {
			if m.kind != kindMinion {
				errs = append(errs, w.saveDisk(m))
			}
		}
	}
	if w.events != nil {
		errs = append(errs, w.events.Close())
	}
	return errors.Join(errs...)
}

// saveDisk copies a node's small disk into the directory that stays.
func (w *World) saveDisk(m *member) error {
	_ = os.Remove(filepath.Join(m.disk(), "ballast"))
	kept := filepath.Join(m.dir, "cache.kept")
	if err := os.CopyFS(kept, filesOf{os.DirFS(m.disk())}); err != nil {
		w.note("keep the disk of %s: %v", m.id, err)
	}
	if err := unix.Unmount(m.disk(), 0); err != nil {
		return fmt.Errorf("unmount the disk of %s: %w", m.id, err)
	}
	return nil
}

// filesOf is a file system without sockets and other special files, which cannot be copied.
type filesOf struct{ fs.FS }

// ReadDir lists directories and regular files.
func (f filesOf) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return !e.IsDir() && !e.Type().IsRegular() }), err
}

// note writes a line to Dir/events.
func (w *World) note(format string, args ...any) {
	line := fmt.Sprintf("%s %8.3f  %s\n", time.Now().UTC().Format("15:04:05.000"), time.Since(w.started).Seconds(), fmt.Sprintf(format, args...))
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = io.WriteString(w.events, line) // best effort
	if w.o.Log != nil {
		_, _ = io.WriteString(w.o.Log, line)
	}
}

// fall records a violation.
func (w *World) fall(what string) {
	w.note("FALL %s", what)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.falls = append(w.falls, what)
}

// addr returns the address at which a member reaches another one.
func (w *World) addr(from, to string) string {
	host := w.net.address(stationOf(from), stationOf(to))
	return net.JoinHostPort(host, fmt.Sprint(retPort))
}
