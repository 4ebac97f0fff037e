package client

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Job describes what to run, and on which minions.
type Job struct {
	// Tgt is the target: text, or []string for TgtType "list".
	Tgt     any
	TgtType string // glob (default), pcre, list, grain, nodegroup, compound, …
	// Fun is a function name; several run in one job.
	Fun []string
	// Args are the arguments of the function, or one list per function. An argument is nil, a
	// bool, number, text or []byte, a slice or map of these, or a value of package value. A
	// final map with the key __kwarg__, Salt's form of keyword arguments, is passed as is.
	Args []any
	// Kwargs are keyword arguments of a single function.
	Kwargs map[string]any
	// Ret lists the returners that the minions use, separated by commas.
	Ret string
	// JID is the job id; "" lets the master choose.
	JID string
	// Timeout is when a minion without known presence is asked whether it still runs the
	// job, in whole seconds, rounded up. Default: the master's option `timeout`.
	Timeout time.Duration
	// Queue is how long the job waits for minions that are away when it is published. A
	// minion that returns in time gets the job. At most one year. Default 0: such minions
	// do not get the job.
	Queue time.Duration
	// Extra holds further options of Salt's LocalClient by name: delimiter, metadata,
	// ret_config, ret_kwargs, module_executors, executor_opts, …
	Extra map[string]any
}

// marker is the key that marks a map as keyword arguments.
const marker = "__kwarg__"

// errSeveral means that keyword arguments were given for a job of several functions.
var errSeveral = errors.New("keyword arguments of several functions: pass them in the argument list of each function, as a map with the key " + marker)

// args returns the arguments followed by the keyword arguments, as Salt sends them.
func (j *Job) args() ([]any, error) {
	switch {
	case len(j.Kwargs) > 0 && len(j.Fun) > 1:
		return nil, errSeveral
	case len(j.Kwargs) > 0:
		return append(slices.Clone(j.Args), sorted(value.NewMap(marker, true), j.Kwargs)), nil
	case j.Args == nil:
		return []any{}, nil
	}
	return j.Args, nil
}

// sorted adds pairs to a map in the order of their keys and returns the map.
func sorted(to *value.Map, more map[string]any) *value.Map {
	for _, k := range slices.Sorted(maps.Keys(more)) {
		to.Set(k, more[k])
	}
	return to
}

// load returns the clear command that publishes the job.
func (j *Job) load() (*wire.Map, error) {
	tgtType := j.TgtType
	if tgtType == "" {
		tgtType = "glob"
	}
	var fun any = j.Fun
	if len(j.Fun) == 1 {
		fun = j.Fun[0]
	}
	args, err := j.args()
	if err != nil {
		return nil, err
	}
	kwargs := sorted(value.NewMap(), j.Extra)
	if j.Queue > 0 {
		kwargs.Set("queue_until", time.Now().Add(j.Queue).Unix())
	}
	m := wire.NewMap("cmd", "publish", "tgt", j.Tgt, "fun", fun, "arg", args, "key", "", "tgt_type", tgtType,
		"ret", j.Ret, "jid", j.JID)
	if j.Timeout > 0 {
		seconds := int64((j.Timeout + time.Second - 1) / time.Second)
		m.Set("timeout", seconds)
		m.Set("to", seconds)
	}
	m.Set("kwargs", kwargs)
	return m, nil
}
