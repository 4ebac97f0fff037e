package mysql

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/mysql/mysqltest"
	"github.com/momtree/mom/returners/returnertest"
)

func TestAddresses(t *testing.T) {
	for host, want := range map[string]string{
		"db":                        "db:3306",
		"a,b":                       "a:3306 b:3306",
		" a:3307 , 10.0.0.1 , b":    "a:3307 10.0.0.1:3306 b:3306",
		"::1":                       "[::1]:3306",
		"[::1]:3307,[fe80::1],db:1": "[::1]:3307 [fe80::1]:3306 db:1",
	} {
		got, err := (&Options{Host: host, Port: 3306}).addresses()
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %v, %v; want %s", host, got, err, want)
		}
	}
	for _, host := range []string{"a,,b", "a,", "a:x", "a:0", "a:70000", "[::1", "[::1]x"} {
		if got, err := (&Options{Host: host, Port: 3306}).addresses(); err == nil || !strings.Contains(err.Error(), "mysql.host") {
			t.Errorf("%q: %v, %v; want an error", host, got, err)
		}
	}
}

// pair is two servers that know nothing of each other, so a test sees which one got a row.
type pair struct {
	t    *testing.T
	a, b *mysqltest.Server
	st   *Store
	next int
}

// twoServers opens a store on a list of two servers.
func twoServers(t *testing.T, change ...func(*Options)) *pair {
	t.Helper()
	p := &pair{t: t, a: mysqltest.Start(t), b: mysqltest.Start(t)}
	for _, s := range []*mysqltest.Server{p.a, p.b} {
		s.Exec(t, "", "CREATE DATABASE salt; CREATE USER salt@'127.0.0.1' IDENTIFIED BY 'p'; "+
			"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX ON salt.* TO salt@'127.0.0.1'")
		if err := open(t, s, "salt").Ping(t.Context()); err != nil { // the tables
			t.Fatal(err)
		}
	}
	p.st = open(t, p.a, "salt", append([]func(*Options){func(o *Options) {
		o.UnixSocket, o.Host, o.User, o.Pass = "", fmt.Sprintf("127.0.0.1:%d,127.0.0.1:%d", p.a.Port, p.b.Port), "salt", "p"
		o.Lifetime, o.Rest, o.Timeout = 100*time.Millisecond, 200*time.Millisecond, 2*time.Second
	}}, change...)...)
	return p
}

// save stores a return and returns which servers have it.
func (p *pair) save() string {
	p.t.Helper()
	p.next++
	id := returnertest.Minion(p.next)
	if err := p.st.SaveReturns(p.t.Context(), []returners.Return{returnertest.Return(p.t, 1, id, "test.ping", true)}); err != nil {
		return err.Error()
	}
	return p.where(id)
}

func (p *pair) where(id string) (at string) {
	for name, s := range map[string]*mysqltest.Server{"a": p.a, "b": p.b} {
		db, err := s.Root("salt")
		if err != nil {
			p.t.Fatal(err)
		}
		var n int
		if db.QueryRowContext(p.t.Context(), "SELECT COUNT(*) FROM salt_returns WHERE id = ?", id).Scan(&n) == nil && n == 1 {
			at += name
		}
		if err := db.Close(); err != nil {
			p.t.Error(err)
		}
	}
	return at
}

func (p *pair) want(at, when string) {
	p.t.Helper()
	if got := p.save(); got != at {
		p.t.Fatalf("%s: the row is at %q, want %q", when, got, at)
	}
}

func (p *pair) back() {
	p.t.Helper()
	waiting.Until(p.t, "rows go to the first server again", func() bool { return p.save() == "a" })
}

// A server that dies, takes no writes or is not part of its cluster is left for the next one of
// the list within the same call, and used again when it is back.
func TestSeveralHosts(t *testing.T) {
	p := twoServers(t)
	p.want("a", "both are well")
	if err := p.a.Kill(); err != nil {
		t.Fatal(err)
	}
	p.want("b", "the first was killed")
	if err := p.a.Start(); err != nil {
		t.Fatal(err)
	}
	p.back()

	p.a.Exec(t, "", "SET GLOBAL read_only = ON")
	p.want("b", "the first is read-only")
	p.a.Exec(t, "", "SET GLOBAL read_only = OFF")
	p.back()

	// What a Galera node answers that has lost its cluster, before a statement and at its COMMIT.
	for number, text := range map[int]string{
		1047: "WSREP has not yet prepared node for application use",
		1180: "Error while appending streaming replication fragment(provider status: Not connected to Primary Component)",
	} {
		p.a.Exec(t, "salt", fmt.Sprintf("CREATE TRIGGER gone BEFORE INSERT ON salt_returns FOR EACH ROW SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = %d, MESSAGE_TEXT = '%s'", number, text))
		p.want("b", text)
		p.a.Exec(t, "salt", "DROP TRIGGER gone")
		p.back()
	}

	p.a.Exec(t, "", "SET GLOBAL read_only = ON")
	p.b.Exec(t, "", "SET GLOBAL read_only = ON")
	if _, err := p.st.GetReturns(t.Context(), returnertest.JID(1)); err != nil {
		t.Errorf("read while no server takes writes: %v", err)
	}
}

// A server that hangs is left after the bound of a statement.
func TestSeveralHosts_Frozen(t *testing.T) {
	p := twoServers(t)
	p.want("a", "both are well")
	b, err := os.ReadFile(filepath.Join(p.a.Dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	thaw := func() {
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			t.Error(err)
		}
	}
	p.next++
	id := returnertest.Minion(p.next)
	err = p.st.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, id, "test.ping", true)})
	thaw()
	if at := p.where(id); err != nil || !strings.Contains(at, "b") {
		t.Errorf("the row is at %q, %v; want b", at, err)
	}
	p.back()
}

// A connection to a node that has left its cluster is not kept, also with one host: it may be
// a proxy, which leads to another node next time.
func TestOneHost_LeavesANodeThatIsNotReady(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	st := open(t, s, name, func(o *Options) { o.Conns = 1 })
	connection := func() (id int64) {
		t.Helper()
		if err := st.db.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	if err := st.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := connection()
	if connection() != before {
		t.Fatal("a healthy connection is not kept")
	}
	s.Exec(t, name, "CREATE TRIGGER gone BEFORE INSERT ON salt_returns FOR EACH ROW SIGNAL SQLSTATE '08S01' SET MYSQL_ERRNO = 1047, MESSAGE_TEXT = 'WSREP has not yet prepared node for application use'")
	err := st.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, "m", "test.ping", true)})
	if !errors.Is(err, returners.ErrUnavailable) || returners.Class(err) != returners.ClassConnection {
		t.Errorf("got %v", err)
	}
	if connection() == before {
		t.Error("the connection to the node that is not ready is kept")
	}
}

// What a cluster may answer to a row for a while never makes a drain set the row aside, however
// often it is answered.
func TestDrainKeepsRowsThatAClusterRefusesForNow(t *testing.T) {
	s := server(t)
	for _, number := range []int{1047, 1180, 1205, 1213, 1412} {
		t.Run(strconv.Itoa(number), func(t *testing.T) {
			name := s.Database(t)
			from, to := embedded(t), open(t, s, name)
			if err := to.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.Exec(t, name, fmt.Sprintf("CREATE TRIGGER refuse BEFORE INSERT ON salt_returns FOR EACH ROW SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = %d, MESSAGE_TEXT = 'not now'", number))
			returnertest.Owe(t, from, returnertest.Return(t, 1, "a", "test.ping", true), returnertest.Return(t, 1, "b", "test.ping", true))
			d := returners.NewDrain(from, to, returners.DrainConfig{Attempts: 1, Log: slog.New(slog.DiscardHandler)})
			for range 3 {
				if n, err := d.Step(t.Context()); n != 0 || !errors.Is(err, returners.ErrUnavailable) {
					t.Errorf("%d rows left the outbox, %v", n, err)
				}
			}
			s.Exec(t, name, "DROP TRIGGER refuse")
			if n, err := d.Step(t.Context()); n != 2 || err != nil {
				t.Errorf("afterwards %d rows left the outbox, %v; want 2", n, err)
			}
			if n := returnertest.Depth(t, from, returners.Rejected(returners.DestMySQL)); n != 0 {
				t.Errorf("%d rows were set aside", n)
			}
		})
	}
}

// A list of servers of which none answers names them all.
func TestSeveralHosts_NoneAnswers(t *testing.T) {
	st, err := Open(t.Context(), Options{Host: "127.0.0.1:1,127.0.0.1:2", Timeout: time.Second, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err = st.Ping(ctx)
	if returners.Class(err) != returners.ClassConnection || !strings.Contains(err.Error(), "127.0.0.1:2: ") {
		t.Errorf("got %v", err)
	}
}
