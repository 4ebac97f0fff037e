package strangers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/mom/momtest"
)

// built is the program that the tests run.
var built string

func TestMain(m *testing.M) {
	if addr := os.Getenv(askerOf); addr != "" {
		ask(addr)
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "strangers")
	if err == nil {
		defer os.RemoveAll(dir)
		built, err = momtest.Build(dir, "mom")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

const patience = 60 * time.Second

// lab is a master and its API, each user's password is the name and "pw".
type lab struct {
	t    *testing.T
	dir  string
	addr string // of the API
	pid  int    // of the process that serves it
}

// start runs a master, with the API in it or in a process beside it.
func start(t *testing.T, inside bool) *lab {
	t.Helper()
	l := &lab{t: t, dir: t.TempDir(), addr: freeAddr(t)}
	_, port, _ := net.SplitHostPort(l.addr)
	ret := freeAddr(t)
	conf := fmt.Sprintf(`root_dir: %[1]s
interface: 127.0.0.1
publish_port: %[2]s
ret_port: %[3]s
log_level: warning
log_level_logfile: warning
api: %[4]t
netapi_enable_clients: [local, runner, wheel]
rest_cherrypy: {host: 127.0.0.1, port: %[5]s, disable_ssl: True}
external_auth:
  file:
    ^filename: %[1]s/users
    admin: ['.*', '@runner', '@wheel']
`, l.dir, portOf(freeAddr(t)), portOf(ret), inside, port)
	l.write("master", conf)
	l.write("users", "admin:adminpw\n")
	l.pid = l.daemon("master")
	if !inside {
		if !waiting.Became(patience, func() bool {
			c, err := net.Dial("tcp", ret)
			if err != nil {
				return false
			}
			return c.Close() == nil
		}) {
			t.Fatal("the master does not answer")
		}
		l.pid = l.daemon("api")
	}
	if !waiting.Became(patience, func() bool { status, _ := health(l.addr); return status == http.StatusOK }) {
		t.Fatal("the API does not answer")
	}
	return l
}

func (l *lab) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// daemon runs a daemon until the test ends.
func (l *lab) daemon(name string) int {
	l.t.Helper()
	cmd := exec.Command(built, name, "-c", l.dir)
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended; the next line finds that out
		if err := cmd.Wait(); err != nil {
			l.t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	})
	return cmd.Process.Pid
}

func freeAddr(t *testing.T) string {
	t.Helper()
	port, err := localcluster.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

func portOf(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return port
}

// memory is a figure of the process that serves the API, in MiB.
func (l *lab) memory(name string) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", l.pid))
	if err != nil {
		l.t.Error(err)
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n / 1024
		}
	}
	l.t.Errorf("there is no %s", name)
	return 0
}

// client makes requests from one of the addresses that this machine has for itself. Each
// stranger has connections of its own.
func client(from string, wait time.Duration) *http.Client {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: wait}
	return &http.Client{Timeout: wait, Transport: &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}}
}

// health asks whether an API answers, and returns how long that took.
func health(addr string) (status int, took time.Duration) {
	began := time.Now()
	resp, err := client("127.0.0.1", 5*time.Second).Get("http://" + addr + "/health")
	if err != nil {
		return 0, time.Since(began)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // its status counts
	return resp.StatusCode, time.Since(began)
}

// login tries a login from an address.
func (l *lab) login(ctx context.Context, from, name, password string) (status int, took time.Duration) {
	began := time.Now()
	body, _ := json.Marshal(map[string]string{"username": name, "password": password, "eauth": "file"})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.addr+"/login", bytes.NewReader(body))
	if err != nil {
		return 0, 0
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := client(from, 30*time.Second).Do(r)
	if err != nil {
		return 0, time.Since(began)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // its status counts
	return resp.StatusCode, time.Since(began)
}
