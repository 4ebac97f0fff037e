package jobs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/process"
	"github.com/momtree/mom/internal/wire"
)

// procDir is cachedir/proc: one file per running job, named by its jid, with pid and
// publication in wire msgpack (Salt wire reference §10.2). Other processes read there what this
// minion runs.
type procDir string

// proc is the content of such a file.
type proc struct {
	jid  string
	by   process.Identity // the process that runs the job
	load *wire.Map        // the publication, without the fields about the process
}

// Fields that Salt's file does not have.
const (
	// masterField is the master that gets the return if the minion dies before it can make one.
	masterField = "__master__"
	// bootField and startedField distinguish a process from a later one with the same pid
	// ([process.Identity]).
	bootField, startedField = "__boot__", "__started__"
)

func (d procDir) path(jid string) string { return filepath.Join(string(d), jid) }

// write records that a job runs. The record survives a power failure, so that the minion can
// report the job as interrupted.
func (d procDir) write(jid, master string, load *wire.Map) error {
	self := process.Self()
	m := wire.NewMap("pid", self.PID, bootField, self.Boot, startedField, self.Started, masterField, master)
	load.Range(func(k, v any) bool { m.Set(k, v); return true })
	b, err := wire.Encode(m)
	if err != nil {
		return fmt.Errorf("note that job %s runs: %w", jid, err)
	}
	if err := durable.WriteFile(d.path(jid), b, 0o600); err != nil {
		return fmt.Errorf("note that job %s runs: %w", jid, err)
	}
	return nil
}

func (d procDir) remove(jid string) { _ = os.Remove(d.path(jid)) }

// list reads all files. It removes unreadable ones, as Salt does.
func (d procDir) list() ([]proc, error) {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return nil, fmt.Errorf("list running jobs: %w", err)
	}
	var out []proc
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		b, err := os.ReadFile(d.path(e.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue // it has ended meanwhile
		}
		p, perr := parseProc(e.Name(), b)
		if err != nil || perr != nil {
			d.remove(e.Name())
			continue
		}
		out = append(out, p)
	}
	return out, nil
}

func parseProc(jid string, b []byte) (proc, error) {
	m, err := wire.DecodeMap(b)
	if err != nil {
		return proc{}, err
	}
	p := proc{jid: jid, by: process.Identity{PID: int(m.Int("pid")), Boot: m.String(bootField), Started: m.Int(startedField)}, load: m}
	if p.by.PID <= 0 || m.String("jid") != jid {
		return proc{}, fmt.Errorf("proc file %s: no pid, or another jid", jid)
	}
	for _, field := range []string{"pid", bootField, startedField} {
		m.Delete(field)
	}
	return p, nil
}

// runsElsewhere reports whether another process still runs the job. A file that names this
// process was left by an earlier one with the same pid: jobs of this process are in its table.
func (p proc) runsElsewhere() bool { return p.by.PID != os.Getpid() && p.by.Alive() }
