package jobs

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/process"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/modules"
)

// inbox is a master that stores the returns it is sent.
type inbox map[string]*wire.Map

func (inbox) Name() string                         { return "m" }
func (inbox) Meant(wire.Publication) (bool, error) { return true, nil }
func (inbox) PassOver(wire.Publication)            {}
func (inbox) Ours() bool                           { return true }
func (inbox) Env() modules.Env                     { return nil }

func (in inbox) Push(jid string, load []byte) (err error) {
	in[jid], err = wire.DecodeMap(load)
	return err
}

// A minion that was killed during a job answers it when it starts again, whatever has its old
// pid: no process, the new minion itself, one of its threads, or another process.
func TestReportInterrupted(t *testing.T) {
	const jid = "20261126190330295862"
	other := process.Of(os.Getppid())
	for name, c := range map[string]struct {
		by       process.Identity
		reported bool
	}{
		"this pid":                           {process.Self(), true},
		"this pid, before":                   {process.Identity{PID: os.Getpid(), Boot: other.Boot, Started: 1}, true},
		"the pid of a process started since": {process.Identity{PID: other.PID, Boot: other.Boot, Started: other.Started - 1}, true},
		"the same numbers before a reboot":   {process.Identity{PID: other.PID, Boot: "another", Started: other.Started}, true},
		"a call that still runs":             {other, false},
		"a Salt call that still runs":        {process.Identity{PID: other.PID}, false},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := &config.Minion{}
			cfg.ID, cfg.Cachedir, cfg.PubRet = "m1", t.TempDir(), true
			j, err := New(Options{Config: cfg, Log: slog.New(slog.DiscardHandler), Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			record := wire.NewMap("pid", c.by.PID, "__master__", "m", "jid", jid, "fun", "test.sleep", "arg", []any{}, "tgt", "*", "tgt_type", "glob", "ret", "", "user", "root")
			if c.by.Boot != "" {
				record.Set("__boot__", c.by.Boot)
				record.Set("__started__", c.by.Started)
			}
			b, err := wire.Encode(record)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(cfg.Cachedir, "proc", jid)
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			in := inbox{}
			j.ReportInterrupted(in, map[string]bool{"m": true})
			if _, ok := in[jid]; ok != c.reported {
				t.Errorf("returned %v, want %v", ok, c.reported)
			}
			if _, err := os.Stat(file); os.IsNotExist(err) != c.reported {
				t.Errorf("record: %v", err)
			}
			if running := len(j.Table().Running()); running != 0 == c.reported {
				t.Errorf("%d jobs run", running)
			}
		})
	}
}

// A later start can read what a running job writes.
func TestProcDir_RoundTrip(t *testing.T) {
	d := procDir(t.TempDir())
	if err := d.write("1", "m", wire.NewMap("jid", "1", "fun", "test.ping")); err != nil {
		t.Fatal(err)
	}
	got, err := d.list()
	if err != nil || len(got) != 1 || got[0].by != process.Self() {
		t.Fatalf("read %+v, %v", got, err)
	}
	if got[0].runsElsewhere() {
		t.Error("a job of this process counts as another's")
	}
}
