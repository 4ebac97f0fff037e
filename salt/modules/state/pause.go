package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

const (
	// allStates stands for every state of a run.
	allStates = "__all__"
	// maxPauseFile is the largest pause file of a run, in bytes.
	maxPauseFile = 1 << 20
)

func init() {
	jid := modules.Arg{Name: "jid", Required: true}
	id := modules.Arg{Name: "state_id"}
	modules.Register("state",
		modules.Function{Name: "pause", Args: []modules.Arg{jid, id, {Name: "duration"}}, Run: pause, Doc: `
Pause the run of states with a job id (jid) before a state (state_id), or before
the next one, until state.resume, or for a number of seconds (duration).

CLI Example:

    salt '*' state.pause 20171130110407769519 vim 20
`},
		modules.Function{Name: "resume", Args: []modules.Arg{jid, id}, Run: resume, Doc: `
Resume a run of states (jid) that state.pause has paused; with a state
(state_id), remove only the pause before it.

CLI Example:

    salt '*' state.resume 20171130110407769519
`},
		modules.Function{Name: "soft_kill", Args: []modules.Arg{jid, id}, Run: softKill, Doc: `
End a run of states (jid) before a state (state_id), or before the next one. Its
result has the states that ran until then.

CLI Example:

    salt '*' state.soft_kill 20171130110407769519 vim
`},
		modules.Function{Name: "get_pauses", Args: []modules.Arg{{Name: "jid"}}, Run: getPauses, Doc: `
Return the pauses set by state.pause and state.soft_kill for the active runs, or
for that of one job id (jid).

CLI Example:

    salt '*' state.get_pauses
`},
	)
}

// pausePath returns the pause file of a run. It returns an error if jid is not a job id.
func pausePath(env modules.Env, jid string) (string, error) {
	//mutant:state-pause-is-of-a-job
	if jobNumber(jid) == nil || len(jid) > 64 {
		return "", &modules.InvocationError{Msg: fmt.Sprintf("%q is not a job id, such as 20171130110407769519", jid)}
	}
	return filepath.Join(modules.PyStr(env.Option("cachedir")), "state_pause", jid), nil
}

// readPause reads the pauses of a run: by state, a map with kill and duration. A missing
// file gives an empty map.
func readPause(path string) (*value.Map, error) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return value.NewMap(), nil
	}
	if err == nil && st.Size() > maxPauseFile {
		err = fmt.Errorf("%s has more than %d bytes; remove it", path, maxPauseFile)
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := wire.DecodeMap(data)
	if err != nil {
		return nil, fmt.Errorf("read %s; remove it if it is damaged: %w", path, err)
	}
	return m, nil
}

// setPause changes the pauses of the run that a call names.
func setPause(c *modules.Call, change func(all *value.Map, id string) error) (any, error) {
	path, err := pausePath(c.Env, modules.PyStr(c.Value("jid")))
	if err != nil {
		return nil, err
	}
	all, err := readPause(path)
	if err != nil {
		return nil, err
	}
	id := allStates
	if v := c.Value("state_id"); v != nil {
		id = modules.PyStr(v)
	}
	if err := change(all, id); err != nil {
		return nil, err
	}
	data, err := wire.Encode(all)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return nil, durable.WriteFile(path, data, 0o600)
}

func pause(_ context.Context, c *modules.Call) (any, error) {
	return setPause(c, func(all *value.Map, id string) error {
		if all.Map(id) == nil {
			all.Set(id, value.NewMap())
		}
		if v := c.Value("duration"); pyfmt.Truth(v) {
			seconds, ok := v.(int64)
			if !ok || seconds < 0 {
				return &modules.InvocationError{Msg: "duration is a number of seconds, not " + modules.PyRepr(v)}
			}
			all.Map(id).Set("duration", seconds)
		}
		return nil
	})
}

func softKill(_ context.Context, c *modules.Call) (any, error) {
	return setPause(c, func(all *value.Map, id string) error {
		all.Set(id, value.NewMap("kill", true))
		return nil
	})
}

func resume(_ context.Context, c *modules.Call) (any, error) {
	return setPause(c, func(all *value.Map, id string) error {
		if id == allStates {
			for _, k := range all.Keys() {
				all.Delete(k)
			}
		}
		all.Delete(id)
		return nil
	})
}

func getPauses(_ context.Context, c *modules.Call) (any, error) {
	dir := filepath.Join(modules.PyStr(c.Env.Option("cachedir")), "state_pause")
	out := value.NewMap()
	var jids []string
	if v := c.Value("jid"); v != nil {
		jids = names(v)
	} else {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			jids = append(jids, e.Name())
		}
	}
	active := map[string]bool{c.JID: runsStates(modules.Job{Load: value.NewMap("fun", c.Fun)})}
	for _, j := range others(c) {
		active[j.JID] = true
	}
	for _, jid := range jids {
		path, err := pausePath(c.Env, jid)
		if err != nil {
			return nil, err
		}
		if !active[jid] {
			// The run has ended: remove its pauses.
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			continue
		}
		all, err := readPause(path)
		if err != nil {
			return nil, err
		}
		out.Set(jid, all)
	}
	return out, nil
}

// paused waits while a state of the run is paused. goOn is false if the run is to end. An
// unreadable file does not stop the run.
func paused(ctx context.Context, env modules.Env, jid, id string) (goOn bool, err error) {
	path, err := pausePath(env, jid)
	if err != nil {
		return true, nil // a run outside a job has no id
	}
	for began := time.Now(); ; {
		all, err := readPause(path)
		if err != nil {
			env.Log().Warn("pause file ignored", "jid", jid, "err", err)
			return true, nil
		}
		key := id
		if !all.Has(key) {
			key = allStates
		}
		set := all.Map(key)
		switch {
		case !all.Has(key):
			return true, nil
		case set.Bool("kill"):
			return false, nil
		case set.Has("duration") && time.Since(began) >= time.Duration(set.Int("duration"))*time.Second:
			return true, nil
		}
		if err := timing.Sleep(ctx, queuePoll); err != nil {
			return false, err
		}
	}
}
