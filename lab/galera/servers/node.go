//go:build linux

package servers

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

// Port is where the servers take connections.
const Port = 3306

const (
	groupPort = 4567
	istPort   = 4568
	sstPort   = 4444
)

// Node is one server of a cluster.
type Node struct {
	number  int // from 0
	Dir     string
	Addr    string
	members string // addresses of all nodes, separated by commas
	suspect time.Duration
	account *account
	within  func(func() error) error

	cmd  *exec.Cmd
	dead chan struct{} // closed when cmd has ended
	Root *sql.DB       // root's connections, over the socket
}

// Name is n1, n2 or n3.
func (n *Node) Name() string { return "n" + strconv.Itoa(n.number+1) }

func (n *Node) data() string   { return filepath.Join(n.Dir, "data") }
func (n *Node) socket() string { return filepath.Join(n.Dir, "s") }
func (n *Node) logFile() string {
	return n.Dir + ".log" // not on the server's small disk
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
func (n *Node) command(name string, args ...string) *exec.Cmd {
	a, cmd := n.account, exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if a.other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	cmd.Dir, cmd.Env = "/", append(os.Environ(), "TMPDIR="+n.Dir)
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
func (n *Node) install() error {
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
func (n *Node) args() ([]string, error) {
	lib, err := provider()
	if err != nil {
		return nil, err
	}
	return []string{
		"--no-defaults", "--datadir=" + n.data(), "--user=" + n.account.name, "--socket=" + n.socket(), "--pid-file=" + filepath.Join(n.Dir, "pid"),
		"--tmpdir=" + n.Dir, "--bind-address=" + n.Addr, "--port=" + strconv.Itoa(Port), "--skip-name-resolve", "--max-allowed-packet=16M",
		"--innodb-buffer-pool-size=32M", "--innodb-log-file-size=48M", "--innodb-flush-log-at-trx-commit=2", "--innodb-autoinc-lock-mode=2",
		"--binlog-format=ROW", "--default-storage-engine=InnoDB", "--performance-schema=OFF",
		"--wsrep-on=ON", "--wsrep-provider=" + lib, "--wsrep-cluster-name=momlab", "--wsrep-cluster-address=gcomm://" + n.members,
		"--wsrep-node-address=" + n.Addr, "--wsrep-node-name=" + n.Name(), "--wsrep-slave-threads=2",
		"--wsrep-sst-method=rsync", "--wsrep-sst-receive-address=" + fmt.Sprintf("%s:%d", n.Addr, sstPort),
		"--wsrep-provider-options=" + fmt.Sprintf("gmcast.listen_addr=tcp://%s:%d;ist.recv_addr=%s:%d;gcache.size=64M;gcache.page_size=16M;", n.Addr, groupPort, n.Addr, istPort) + n.timeouts(),
	}, nil
}

// timeouts are the options of the group's protocol. It does not start if its keepalive is not below a third of
// the time until a silent node is suspected; a second is its default.
func (n *Node) timeouts() string {
	s := n.suspect.Seconds()
	return fmt.Sprintf("evs.keepalive_period=PT%gS;evs.suspect_timeout=PT%gS;evs.inactive_timeout=PT%gS", min(1, s/4), s, 3*s)
}

var position = regexp.MustCompile(`Recovered position: *(\S+)`)

// recovered returns the position of the data in the history of the cluster, "" if it has none. A
// node without one gets a full copy from another.
func (n *Node) recovered() (string, error) {
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
		return "", fmt.Errorf("recover the position of %s: %w\n%s", n.Name(), err, tail(out))
	}
	m := position.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("recover the position of %s: the server names none\n%s", n.Name(), tail(out))
	}
	if strings.HasPrefix(string(m[1]), "00000000-0000-0000-0000-000000000000") {
		return "", nil
	}
	return string(m[1]), nil
}

func tail(b []byte) []byte { return b[max(0, len(b)-3000):] }

// start starts the server with further options. It does not wait until the server answers.
func (n *Node) start(more ...string) error {
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
		return fmt.Errorf("start %s: %w", n.Name(), err)
	}
	n.cmd, n.dead = cmd, dead
	go func() {
		defer close(dead)
		_ = cmd.Wait() // its log has the reason
	}()
	return nil
}

// Rejoin starts the server where its data ends; a node without data gets a copy from another.
func (n *Node) Rejoin() error {
	if _, err := os.Stat(filepath.Join(n.data(), "grastate.dat")); err != nil {
		return n.start()
	}
	at, err := n.recovered()
	if err != nil || at == "" {
		return errors.Join(err, n.start())
	}
	return n.start("--wsrep-start-position=" + at)
}

// Running reports whether the process of the server has not ended.
func (n *Node) Running() bool {
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

// Signal sends a signal to the server and to the scripts that it has started.
func (n *Node) Signal(s syscall.Signal) error {
	if n.cmd == nil {
		return nil
	}
	if err := syscall.Kill(-n.cmd.Process.Pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal %v to %s: %w", s, n.Name(), err)
	}
	return nil
}

// Kill ends the server as a loss of power would.
func (n *Node) Kill() error {
	if n.cmd == nil {
		return nil
	}
	err := n.Signal(syscall.SIGKILL)
	<-n.dead
	n.cmd = nil
	return err
}

// Stop shuts the server down. It is killed after a minute.
func (n *Node) Stop() error {
	if n.cmd == nil {
		return nil
	}
	// The process alone: its scripts end with it.
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", n.Name(), err)
	}
	t := time.NewTimer(time.Minute)
	defer t.Stop()
	select {
	case <-n.dead:
		n.cmd = nil
		return nil
	case <-t.C:
		return errors.Join(fmt.Errorf("%s did not stop in a minute and was killed", n.Name()), n.Kill())
	}
}

// Wipe removes the data of a server that does not run.
func (n *Node) Wipe() error {
	if err := os.RemoveAll(n.data()); err != nil {
		return err
	}
	if err := os.Mkdir(n.data(), 0o700); err != nil || !n.account.other {
		return err
	}
	return os.Chown(n.data(), n.account.uid, n.account.gid)
}

// connect opens the pool of root's connections, over the socket.
func (n *Node) connect() (err error) {
	n.Root, err = n.Open("")
	return err
}

// Open opens a pool of root's connections to a database, with pairs of a variable of the session and its value.
func (n *Node) Open(database string, session ...string) (*sql.DB, error) {
	c := driver.NewConfig()
	c.User, c.Net, c.Addr, c.DBName, c.Params = "root", "unix", n.socket(), database, map[string]string{}
	for i := 0; i < len(session); i += 2 {
		c.Params[session[i]] = session[i+1]
	}
	c.Timeout, c.ReadTimeout, c.ParseTime, c.MultiStatements = 2*time.Second, Patience, true, true
	c.Logger = silent{}
	conn, err := driver.NewConnector(c)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(conn)
	db.SetMaxIdleConns(1)
	return db, nil
}

// silent drops the driver's messages while a server is down.
type silent struct{}

func (silent) Print(...any) {}

// status returns one of the server's wsrep_ variables, "" if it does not answer.
func (n *Node) status(ctx context.Context, name string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var value string
	if err := n.Root.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE '"+name+"'").Scan(&name, &value); err != nil {
		return ""
	}
	return value
}

// Do runs statements as root. It repeats them until they succeed, for Patience at most: the cluster
// may be about to settle.
func (n *Node) Do(ctx context.Context, statements string, args ...any) error {
	for end := time.Now().Add(Patience); ; {
		_, err := n.Root.ExecContext(ctx, statements, args...)
		if err == nil {
			return nil
		}
		if time.Now().After(end) || timing.Sleep(ctx, 500*time.Millisecond) != nil {
			return fmt.Errorf("%s: %.60s: %w", n.Name(), statements, err)
		}
	}
}

// synced reports whether the server takes part in a cluster of a size and has applied all of its
// history.
func (n *Node) synced(ctx context.Context, size int) bool {
	return n.Running() && n.status(ctx, "wsrep_local_state_comment") == "Synced" && n.status(ctx, "wsrep_ready") == "ON" &&
		n.status(ctx, "wsrep_cluster_size") == strconv.Itoa(size)
}

// close ends the server.
func (n *Node) close() error {
	err := errors.Join(n.Signal(syscall.SIGCONT), n.Kill())
	if n.Root != nil {
		_ = n.Root.Close() // the server has closed the connections
	}
	return err
}
