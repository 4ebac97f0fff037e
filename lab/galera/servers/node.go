//go:build linux

package galera

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/momtree/mom/internal/timing"
)

const (
	sqlPort   = 3306
	groupPort = 4567
	istPort   = 4568
	sstPort   = 4444
)

// node is one server of the cluster.
type node struct {
	number  int // from 0
	dir     string
	addr    string
	members string // addresses of all nodes, separated by commas
	suspect time.Duration
	account *account
	within  func(func() error) error

	cmd  *exec.Cmd
	dead chan struct{} // closed when cmd has ended
	root *sql.DB
}

func (n *node) name() string { return "n" + strconv.Itoa(n.number+1) }

func (n *node) data() string   { return filepath.Join(n.dir, "data") }
func (n *node) socket() string { return filepath.Join(n.dir, "s") }
func (n *node) logFile() string {
	return n.dir + ".log" // not on the server's small disk
}

// account is whom the servers run as: mysql if this process may become it, itself otherwise.
type account struct {
	name     string
	uid, gid int
	other    bool
}

// findAccount returns the account for servers whose files are under dir.
func findAccount(dir string) (*account, error) {
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	a := &account{name: me.Username, uid: os.Getuid(), gid: os.Getgid()}
	u, err := user.Lookup("mysql")
	if err != nil || os.Geteuid() != 0 {
		return a, nil
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	// A user namespace has one account only.
	if err := errors.Join(err1, err2); err != nil || os.Chown(dir, uid, gid) != nil {
		return a, nil
	}
	return &account{name: "mysql", uid: uid, gid: gid, other: true}, nil
}

// command returns a command that runs as the node's account, in a process group of its own.
func (n *node) command(name string, args ...string) *exec.Cmd {
	a, cmd := n.account, exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if a.other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	cmd.Dir, cmd.Env = "/", append(os.Environ(), "TMPDIR="+n.dir)
	return cmd
}

// program returns the path of one of MariaDB's programs.
func program(name string) (string, error) {
	for _, path := range []string{name, "/usr/sbin/" + name, "/usr/libexec/" + name} {
		if p, err := exec.LookPath(path); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("%s is not installed; `make deps` installs what this lab needs", name)
}

// provider returns the path of Galera's library.
func provider() (string, error) {
	for _, p := range []string{"/usr/lib/galera/libgalera_smm.so", "/usr/lib64/galera-4/libgalera_smm.so"} {
		if _, err := os.Stat(p); err == nil {
			return p, nil
		}
	}
	return "", errors.New("libgalera_smm.so is not installed; `make deps` installs galera-4")
}

// install creates the system tables.
func (n *node) install() error {
	p, err := program("mariadb-install-db")
	if err != nil {
		return err
	}
	out, err := n.command(p, "--no-defaults", "--datadir="+n.data(), "--user="+n.account.name,
		"--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=48M").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", p, err, out)
	}
	return nil
}

// args are the options of the server. The buffers are small and the log is synced once a second,
// which Galera's documentation permits: the other nodes have what a node loses.
func (n *node) args() ([]string, error) {
	lib, err := provider()
	if err != nil {
		return nil, err
	}
	return []string{
		"--no-defaults", "--datadir=" + n.data(), "--user=" + n.account.name, "--socket=" + n.socket(), "--pid-file=" + filepath.Join(n.dir, "pid"),
		"--tmpdir=" + n.dir, "--bind-address=" + n.addr, "--port=" + strconv.Itoa(sqlPort), "--skip-name-resolve", "--max-allowed-packet=16M",
		"--innodb-buffer-pool-size=32M", "--innodb-log-file-size=48M", "--innodb-flush-log-at-trx-commit=2", "--innodb-autoinc-lock-mode=2",
		"--binlog-format=ROW", "--default-storage-engine=InnoDB", "--performance-schema=OFF",
		"--wsrep-on=ON", "--wsrep-provider=" + lib, "--wsrep-cluster-name=momlab", "--wsrep-cluster-address=gcomm://" + n.members,
		"--wsrep-node-address=" + n.addr, "--wsrep-node-name=" + n.name(), "--wsrep-slave-threads=2",
		"--wsrep-sst-method=rsync", "--wsrep-sst-receive-address=" + fmt.Sprintf("%s:%d", n.addr, sstPort),
		"--wsrep-provider-options=" + fmt.Sprintf("gmcast.listen_addr=tcp://%s:%d;ist.recv_addr=%s:%d;gcache.size=64M;gcache.page_size=16M;"+
			"evs.suspect_timeout=PT%gS;evs.inactive_timeout=PT%gS", n.addr, groupPort, n.addr, istPort, n.suspect.Seconds(), 3*n.suspect.Seconds()),
	}, nil
}

var position = regexp.MustCompile(`Recovered position: *(\S+)`)

// recovered returns the position of the data in the history of the cluster, "" if it has none. A
// node without one gets a full copy from another.
func (n *node) recovered() (string, error) {
	p, err := program("mariadbd")
	if err != nil {
		return "", err
	}
	args, err := n.args()
	if err != nil {
		return "", err
	}
	var out []byte
	err = n.within(func() error {
		out, err = n.command(p, append(args, "--wsrep-recover")...).CombinedOutput()
		return err
	})
	if err != nil {
		return "", fmt.Errorf("recover the position of %s: %w\n%s", n.name(), err, tail(out))
	}
	m := position.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("recover the position of %s: the server names none\n%s", n.name(), tail(out))
	}
	if strings.HasPrefix(string(m[1]), "00000000-0000-0000-0000-000000000000") {
		return "", nil
	}
	return string(m[1]), nil
}

func tail(b []byte) []byte { return b[max(0, len(b)-3000):] }

// start starts the server with further options. It does not wait until the server answers.
func (n *node) start(more ...string) error {
	p, err := program("mariadbd")
	if err != nil {
		return err
	}
	args, err := n.args()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(n.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd, dead := n.command(p, append(args, more...)...), make(chan struct{})
	cmd.Stdout, cmd.Stderr = log, log
	if err := n.within(cmd.Start); err != nil {
		return fmt.Errorf("start %s: %w", n.name(), err)
	}
	n.cmd, n.dead = cmd, dead
	go func() {
		defer close(dead)
		_ = cmd.Wait() // its log has the reason
	}()
	return nil
}

// rejoin starts the server where its data ends; a node without data gets a copy from another.
func (n *node) rejoin() error {
	if _, err := os.Stat(filepath.Join(n.data(), "grastate.dat")); err != nil {
		return n.start()
	}
	at, err := n.recovered()
	if err != nil || at == "" {
		return errors.Join(err, n.start())
	}
	return n.start("--wsrep-start-position=" + at)
}

func (n *node) running() bool {
	if n.cmd == nil {
		return false
	}
	select {
	case <-n.dead:
		return false
	default:
		return true
	}
}

// signal sends a signal to the server and to the scripts that it has started.
func (n *node) signal(s syscall.Signal) error {
	if n.cmd == nil {
		return nil
	}
	if err := syscall.Kill(-n.cmd.Process.Pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal %v to %s: %w", s, n.name(), err)
	}
	return nil
}

// kill ends the server as a loss of power would.
func (n *node) kill() error {
	if n.cmd == nil {
		return nil
	}
	err := n.signal(syscall.SIGKILL)
	<-n.dead
	n.cmd = nil
	return err
}

// wipe removes the data of a server that does not run.
func (n *node) wipe() error {
	if err := os.RemoveAll(n.data()); err != nil {
		return err
	}
	if err := os.Mkdir(n.data(), 0o700); err != nil || !n.account.other {
		return err
	}
	return os.Chown(n.data(), n.account.uid, n.account.gid)
}

// connect opens the pool of root's connections, over the socket.
func (n *node) connect() error {
	c := driver.NewConfig()
	c.User, c.Net, c.Addr = "root", "unix", n.socket()
	c.Timeout, c.ReadTimeout, c.ParseTime, c.MultiStatements = 2*time.Second, patience, true, true
	c.Logger = silent{}
	conn, err := driver.NewConnector(c)
	if err != nil {
		return err
	}
	n.root = sql.OpenDB(conn)
	n.root.SetMaxIdleConns(1)
	return nil
}

// silent drops the driver's messages while a server is down.
type silent struct{}

func (silent) Print(...any) {}

// status returns one of the server's wsrep_ variables, "" if it does not answer.
func (n *node) status(ctx context.Context, name string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var value string
	if err := n.root.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE '"+name+"'").Scan(&name, &value); err != nil {
		return ""
	}
	return value
}

// do runs statements as root. It repeats them until they succeed, for patience at most: the cluster
// may be about to settle.
func (n *node) do(ctx context.Context, statements string, args ...any) error {
	for end := time.Now().Add(patience); ; {
		_, err := n.root.ExecContext(ctx, statements, args...)
		if err == nil {
			return nil
		}
		if time.Now().After(end) || timing.Sleep(ctx, 500*time.Millisecond) != nil {
			return fmt.Errorf("%s: %.60s: %w", n.name(), statements, err)
		}
	}
}

// synced reports whether the server takes part in a cluster of a size and has applied all of its
// history.
func (n *node) synced(ctx context.Context, size int) bool {
	return n.running() && n.status(ctx, "wsrep_local_state_comment") == "Synced" && n.status(ctx, "wsrep_ready") == "ON" &&
		n.status(ctx, "wsrep_cluster_size") == strconv.Itoa(size)
}

// close ends the server.
func (n *node) close() error {
	err := errors.Join(n.signal(syscall.SIGCONT), n.kill())
	if n.root != nil {
		_ = n.root.Close() // the server has closed the connections
	}
	return err
}
