package modules

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/value"
)

func TestUptimeMap(t *testing.T) {
	now := time.Date(2024, 1, 10, 12, 0, 0, 0, time.UTC)
	same(t, "uptime", plainValue(uptimeMap(now, 2*86400+3*3600+4*60+5)), any(m{
		"seconds": int64(183845), "since_iso": "2024-01-08T08:55:55.000000", "since_t": int64(1704704155),
		"days": int64(2), "time": "3:4",
	}))
}

func TestBlockBytes(t *testing.T) {
	for _, c := range []struct {
		blocks int64
		want   uint64
	}{{0, 0}, {3, 12288}, {-1, 0}} { // below zero: less than root's reserve is left
		if got := blockBytes(c.blocks, 4096); got != c.want {
			t.Errorf("%d blocks = %d bytes, want %d", c.blocks, got, c.want)
		}
	}
}

func TestStatus_OfThisHost(t *testing.T) {
	env := newEnv()
	all := result(t, env, "status.all_status").(m)
	for _, name := range []string{"cpuinfo", "cpustats", "loadavg", "meminfo", "netdev", "uptime"} {
		if part, ok := all[name].(m); !ok || len(part) == 0 {
			t.Errorf("all_status.%s = %v", name, all[name])
		}
	}
	if _, ok := all["w"].([]any); !ok {
		t.Errorf("w = %v", all["w"])
	}
	usage := result(t, env, "status.diskusage", "/").(m)["/"].(m)
	if total, ok := usage["total"].(uint64); !ok || total == 0 {
		t.Errorf("usage of / = %v", usage)
	}
	same(t, "no such path", result(t, env, "status.diskusage", "/no/such/path"), any(m{}))
	own := result(t, env, "status.procs").(m)[strconv.Itoa(os.Getpid())].(m)
	if own["user"] == "" || !strings.Contains(own["cmd"].(string), "modules") {
		t.Errorf("own process = %v", own)
	}
	if pids := result(t, env, "status.pid", "modules.test").(string); strings.Contains("\n"+pids+"\n", "\n"+strconv.Itoa(os.Getpid())+"\n") {
		t.Errorf("pid lists the minion itself: %q", pids)
	}
	if r := run(t, env, "status.pid", "("); r.Success {
		t.Errorf("a bad expression gave %v", r.Value)
	}
	if n := result(t, env, "status.nproc").(int64); n < 1 {
		t.Errorf("nproc = %d", n)
	}
	if v, ok := result(t, env, "status.version").(string); !ok || !strings.HasPrefix(v, "Linux version") {
		t.Errorf("version = %v", v)
	}
	year := result(t, env, "status.time", "%Y").(string)
	if n, err := strconv.Atoi(year); err != nil || n < 2024 {
		t.Errorf("time = %q", year)
	}
}

func TestStatus_Masters(t *testing.T) {
	env := newEnv()
	env.masters = []MasterStatus{{Addr: "salt", IP: "192.0.2.1", Connected: true}, {Addr: "spare"}}
	calls(t, env, []callCase{
		{"status.master", []any{"salt"}, true},
		{"status.master", []any{"192.0.2.1"}, true},
		{"status.master", []any{"spare", false}, false},
		{"status.master", nil, nil},
	})
	same(t, "no events", len(env.fired), 0)
	same(t, "down", result(t, env, "status.master", "spare"), any(false))
	same(t, "up", result(t, env, "status.master", "salt", false), any(true))
	same(t, "events", env.fired, []string{"local __master_disconnected", "local __master_connected"})
	same(t, "data", plainValue(env.data[0]), plainValue(value.NewMap("master", "spare")))
	same(t, "ping", result(t, env, "status.ping_master", "salt"), any(true))
	same(t, "ping nobody", result(t, env, "status.ping_master", ""), any(false))
	env.pingErr = errors.New("away")
	same(t, "ping", result(t, env, "status.ping_master", "salt"), any(false))
}
