//go:build linux

package cluster

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// ground is a directory with stubs of the programs that galera.sh calls. A server runs while up/NAME
// is there; seq/NAME holds where its data ends.
type ground struct {
	t   *testing.T
	dir string
}

const stubs = `
mariadb: for a; do case $a in -h*) host=${a#-h};; esac; done; [ $host != 127.0.0.1 ] || host=$NAME
mariadb: case "$*" in *cluster_status*) [ ! -e up/$NAME ] || echo wsrep_cluster_status $(cat part/$NAME 2>/dev/null || echo Primary);; *) [ ! -e up/$host ] || echo wsrep_ready ON;; esac
mariadbd: case "$*" in *--wsrep-recover*) echo "WSREP: Recovered position: 3c1a6892-eb7b-11f1-b4b5-23d29dec0994:$(cat seq/$NAME)"; exit;; esac
mariadbd: echo "$*" > new-$NAME; mv new-$NAME joined/$NAME; touch up/$NAME; trap 'rm -f up/$NAME; exit 0' TERM; while :; do sleep 0.1; done
docker-entrypoint.sh: echo "$*" > new-$NAME; mv new-$NAME founded/$NAME; touch up/$NAME; trap 'rm -f up/$NAME; exit 0' TERM; while :; do sleep 0.1; done
`

func newGround(t *testing.T) *ground {
	t.Helper()
	g := &ground{t, t.TempDir()}
	for _, sub := range []string{"bin", "up", "seq", "part", "joined", "founded", "group", "secret"} {
		if err := os.Mkdir(filepath.Join(g.dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	g.write("secret/password", "x")
	programs := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(stubs), "\n") {
		name, code, _ := strings.Cut(line, ": ")
		programs[name] += code + "\n"
	}
	for name, code := range programs {
		g.write("bin/"+name, "#!/bin/bash\ncd "+g.dir+"\n"+code)
	}
	script, err := os.ReadFile("galera.sh")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("/group", g.dir+"/group", "/secret", g.dir+"/secret", "data=/var/lib/mysql", "data="+g.dir+"/data-$name",
		"lonely=30", "lonely=4", "fresh=5 ", "fresh=60 ").Replace(string(script))
	g.write("galera.sh", text)
	return g
}

func (g *ground) write(name, text string) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o755); err != nil {
		g.t.Fatal(err)
	}
}

// start starts a server whose data ends at seq; "" for one without data. ended is closed when it has ended.
func (g *ground) start(name, seq string, stoppedLast bool) (ended chan struct{}) {
	g.t.Helper()
	data := filepath.Join(g.dir, "data-"+name)
	if seq != "" {
		if err := os.MkdirAll(filepath.Join(data, "mysql"), 0o755); err != nil {
			g.t.Fatal(err)
		}
		g.write("seq/"+name, seq)
		safe := "0"
		if stoppedLast {
			safe = "1"
		}
		g.write("data-"+name+"/grastate.dat", "safe_to_bootstrap: "+safe+"\n")
	}
	cmd := exec.Command("bash", filepath.Join(g.dir, "galera.sh"), name, "db1", "db2", "db3")
	cmd.Env = append(os.Environ(), "NAME="+name, "PATH="+g.dir+"/bin:"+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // killed below
	}()
	g.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		<-ended
	})
	return ended
}

func (g *ground) names(sub string) []string {
	entries, err := os.ReadDir(filepath.Join(g.dir, sub))
	if err != nil {
		g.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func (g *ground) await(sub string, want ...string) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), time.Minute)
	defer cancel()
	waiting.UntilDone(ctx, g.t, sub+" "+strings.Join(want, ", "), func() bool { return slices.Equal(g.names(sub), want) })
}

// The server with the newest data founds the cluster, and the others join where their data ends.
func TestGalera_Founder(t *testing.T) {
	for name, c := range map[string]struct {
		seq     [3]string
		last    int // number of the server that stopped last, 0: none
		founder string
	}{
		"first start":        {[3]string{"", "", ""}, 0, "db1"},
		"all killed":         {[3]string{"5", "9", "7"}, 0, "db2"},
		"stopped in order":   {[3]string{"9", "9", "9"}, 3, "db3"},
		"one without data":   {[3]string{"", "4", "4"}, 0, "db2"},
		"all at one place":   {[3]string{"4", "4", "4"}, 0, "db1"},
		"killed in its turn": {[3]string{"-1", "-1", "3"}, 0, "db3"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			others := []string{"db1", "db2", "db3"}
			for i, s := range others {
				g.start(s, c.seq[i], c.last == i+1)
			}
			others = slices.DeleteFunc(others, func(s string) bool { return s == c.founder })
			g.await("joined", others...)
			if got := g.names("founded"); !slices.Equal(got, []string{c.founder}) {
				t.Fatalf("founded by %v, want %s", got, c.founder)
			}
			for i, s := range []string{"db1", "db2", "db3"} {
				args, _ := os.ReadFile(filepath.Join(g.dir, "joined", s))
				begins := strings.Contains(string(args), "--wsrep-start-position=3c1a6892-eb7b-11f1-b4b5-23d29dec0994:"+c.seq[i])
				if s != c.founder && begins != (c.seq[i] != "") {
					t.Errorf("%s, which ends at %q, joins with %s", s, c.seq[i], args)
				}
			}
		})
	}
}

// No server founds a cluster while one is away that may have newer data, unless an operator says that
// it is lost.
func TestGalera_WaitsForAll(t *testing.T) {
	g := newGround(t)
	g.start("db1", "5", false)
	g.start("db2", "6", false)
	g.await("group", "db1", "db2")
	g.write("group/without-db3", "")
	g.await("joined", "db1")
	if got := g.names("founded"); !slices.Equal(got, []string{"db2"}) {
		t.Fatalf("founded by %v", got)
	}
}

// A server whose file vanishes while another reads it founds the cluster, and nobody else does.
func TestGalera_FounderWhileRead(t *testing.T) {
	g := newGround(t)
	g.write("group/db3", "1 9 3c1a6892-eb7b-11f1-b4b5-23d29dec0994\n")
	g.write("bin/stat", `#!/bin/bash
/usr/bin/stat "$@" || exit
case "$*" in */db3) rm '`+g.dir+`/group/db3'; (sleep 1; touch '`+g.dir+`/up/db3') & esac
`)
	g.start("db1", "9", false)
	g.start("db2", "9", false)
	g.await("joined", "db1", "db2")
	if got := g.names("founded"); len(got) > 0 {
		t.Fatalf("founded by %v too", got)
	}
}

// A server that runs and has lost the others ends, so that it is started again.
func TestGalera_LeavesWhenAlone(t *testing.T) {
	g := newGround(t)
	g.write("up/db2", "")
	ended := g.start("db1", "5", false)
	g.await("joined", "db1")
	select {
	case <-ended:
		t.Fatal("it ended as part of the cluster")
	default:
	}
	g.write("part/db1", "non-Primary")
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("it goes on alone")
	}
}
