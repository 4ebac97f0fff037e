package saltrun

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/callargs"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/value"
)

// progress prints the events of a running function: to the output of its result, or to standard
// error if that output is a document for programs.
type progress struct {
	f              *flags
	w              io.Writer // output of the result
	stdout, stderr io.Writer
	lines          bool  // printed lines are the result, in any output format
	err            error // the first error of printing
}

func (t *progress) hear(what string, e client.Event) {
	m, err := stamped(e)
	if err != nil {
		t.fail(fmt.Errorf("read an event of the function: %w", err))
		return
	}
	t.print(what, m)
}

// stamped returns the data of an event with the time when it was fired, as Salt prints them.
func stamped(e client.Event) (*value.Map, error) {
	m, err := e.Data.Map()
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Tag, err)
	}
	if !m.Has("_stamp") {
		m.Set("_stamp", e.Time.UTC().Format("2006-01-02T15:04:05.000000"))
	}
	return m, nil
}

func (t *progress) print(what string, data *value.Map) {
	w, name := t.w, t.f.Output.Outputter
	if name != "" && name != "nested" && !(t.lines && what == runners.KindPrint) {
		w, name = t.stderr, ""
	}
	if what == runners.KindPrint {
		_, err := fmt.Fprintln(w, terminal.Text(data.String("text")))
		t.fail(err)
		return
	}
	t.fail(output.Render(w, name, value.NewMap("event", data, "suffix", what), t.f.Output.Options(t.stdout)))
}

func (t *progress) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// watching is the function that this command runs itself: the master would fire each event again
// to have it printed here.
const watching = "state.event"

// watch reads the event bus for state.event.
func (f *flags) watch(ctx context.Context, c *client.Client, call client.RunnerCall, shown *progress) error {
	shown.lines = true
	args, kwargs := callargs.Separate(call.Args)
	bound := runners.Bind(runners.Request{Fun: call.Fun, Args: args, Kwargs: kwargs})
	at := &runners.Call{Bound: bound, Env: busEnv{c: c, progress: shown}, Report: shown.print}
	_, err := runners.Run(ctx, at)
	if err == nil || shown.err != nil {
		return shown.err
	}
	var stop *command.Signalled
	if errors.As(context.Cause(ctx), &stop) {
		return command.Exit(stop.Code(), fmt.Errorf("\nExiting gracefully on %s", stop.How()))
	}
	return f.failed(ctx, &client.RunnerError{Fun: call.Fun, Reason: err.Error()}, "")
}

// busEnv is the environment of state.event in this process: it can only read the event bus.
type busEnv struct {
	runners.Env // nil: state.event does not use it
	c           *client.Client
	progress    *progress
}

// Listen reads the events of the bus until heard returns false, or printing fails.
func (e busEnv) Listen(ctx context.Context, heard func(tag string, data *value.Map) bool) (err error) {
	s, err := e.c.Subscribe(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for {
		ev, err := s.Next(ctx)
		if err != nil {
			return err
		}
		data, err := stamped(ev)
		if err != nil {
			return err
		}
		if !heard(ev.Tag, data) || e.progress.err != nil {
			return nil
		}
	}
}

// Endless returns true: the user can stop the command.
func (busEnv) Endless() bool { return true }
