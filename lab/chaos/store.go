//go:build linux

package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Stores, by the names of Options.Store.
const (
	MySQL    = "mysql"    // one MariaDB
	Postgres = "postgres" // one PostgreSQL, by the returner pgjsonb
	Galera   = "galera"   // three MariaDB servers that are one cluster
)

// Stores lists the stores.
func Stores() []string { return []string{MySQL, Postgres, Galera} }

// store is the database of the keepers.
type store interface {
	// options are lines for the configuration of a keeper. addr returns the address at which it reaches a
	// server.
	options(addr func(server int) string) string
	// port is where the servers take connections.
	port() int
	// open connects to each server, to read the tables. The caller closes the pools.
	open() ([]*sql.DB, error)
	// mark is the placeholder of the n-th argument of a statement, from 1.
	mark(n int) string
	// hit begins SQLKill, SQLStop or SQLPause at a server and returns what ends it.
	hit(server int, what string) (heal func() error, err error)
	// whole waits until all servers serve.
	whole(ctx context.Context) error
	// close ends all servers and removes their data.
	close() error
}

// serversOf returns the number of servers of a store.
func serversOf(name string) int {
	if name == Galera {
		return 3
	}
	return 1
}

// place is where the servers of a store run.
type place struct {
	dir     string
	addrs   []string // where each listens
	within  func(server int, f func() error) error
	suspect time.Duration // how long a server of a cluster may be silent
	note    func(format string, args ...any)
}

// newStore starts a store with an empty database salt. If it returns a store with an error, the store must be
// closed.
func newStore(ctx context.Context, name string, p place) (store, error) {
	switch name {
	case MySQL:
		return newMariaDB(ctx, p)
	case Postgres:
		return newPostgres(ctx, p)
	case Galera:
		return newGalera(ctx, p)
	}
	return nil, fmt.Errorf("unknown store %q; use one of %s", name, strings.Join(Stores(), ", "))
}

// databases are the servers of a world's store.
type databases struct {
	store
	stations []int // of the servers: database, then those behind the others
	turn     atomic.Int64
}

// serverStations returns the stations of n servers.
func serverStations(n int) []int {
	out := []int{database}
	for i := 1; i < n; i++ {
		out = append(out, stations+i-1)
	}
	return out
}

// next returns the server that the next fault hits: each in turn.
func (d *databases) next() int { return int(d.turn.Add(1)-1) % len(d.stations) }

// hit begins a fault of a server.
func (d *databases) hit(f Fault, note func(string, ...any)) (heal func() error, err error) {
	at := d.next()
	if len(d.stations) > 1 {
		note("%v hits server %d", f, at+1)
	}
	return d.store.hit(at, f.What)
}

// edges returns the directions of a network fault. Of several servers it is about one in turn, and if all its
// connections are, about those to the other servers too.
func (d *databases) edges(f Fault, note func(string, ...any)) []edge {
	all := f.edges()
	isDatabase := func(e edge) bool { return e.from == database || e.to == database }
	if len(d.stations) == 1 || !slices.ContainsFunc(all, isDatabase) {
		return all
	}
	at := d.next()
	note("%v is about server %d", f, at+1)
	for i, e := range all {
		if e.from == database {
			all[i].from = d.stations[at]
		}
		if e.to == database {
			all[i].to = d.stations[at]
		}
	}
	if f.Who != "sql" || f.Peer != "" {
		return all
	}
	for i, s := range d.stations {
		if i == at {
			continue
		}
		all = append(all, edge{d.stations[at], s})
		if f.What != OneWay {
			all = append(all, edge{s, d.stations[at]})
		}
	}
	return all
}

// dialed returns the connections of a world, each from the side that dials, with those to all servers.
func (d *databases) dialed() []edge {
	all := edges()
	for _, e := range edges() {
		if e.to != database {
			continue
		}
		for _, s := range d.stations[1:] {
			all = append(all, edge{e.from, s})
		}
	}
	return all
}

// execAll runs statements.
func execAll(ctx context.Context, db *sql.DB, statements ...string) error {
	for _, q := range statements {
		if _, err := db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return nil
}
