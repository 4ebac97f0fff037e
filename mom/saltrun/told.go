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

// telling shows what a function tells while it works: beside its result, but where that is
// a document for programs on standard error.
type telling struct {
	f              *flags
	w              io.Writer // of the result
	stdout, stderr io.Writer
	lines          bool  // the lines that are printed are the result, whatever its form
	err            error // the first that showing gave
}

func (t *telling) hear(what string, e client.Event) {
	m, err := stamped(e)
	if err != nil {
		t.fail(fmt.Errorf("what the function tells cannot be read: %w", err))
		return
	}
	t.tell(what, m)
}

// stamped are the data of an event with the time when it was fired, as Salt shows them.
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

func (t *telling) tell(what string, data *value.Map) {
	w, name := t.w, t.f.Output.Outputter
	if name != "" && name != "nested" && !(t.lines && what == runners.ToldPrint) {
		w, name = t.stderr, ""
	}
	if what == runners.ToldPrint {
		_, err := fmt.Fprintln(w, terminal.Text(data.String("text")))
		t.fail(err)
		return
	}
	t.fail(output.Render(w, name, value.NewMap("event", data, "suffix", what), t.f.Output.Options(t.stdout)))
}

func (t *telling) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// watching is the function that this command runs itself: the master would put each event
// on its bus once more to have it printed here.
const watching = "state.event"

// watch reads the event bus for state.event.
func (f *flags) watch(ctx context.Context, c *client.Client, call client.RunnerCall, told *telling) error {
	told.lines = true
	args, kwargs := callargs.Separate(call.Args)
	bound := runners.Bind(runners.Request{Fun: call.Fun, Args: args, Kwargs: kwargs})
	at := &runners.Call{Bound: bound, Env: ears{c: c, told: told}, Tell: told.tell}
	_, err := runners.Run(ctx, at)
	if err == nil || told.err != nil {
		return told.err
	}
	var stop *command.Signalled
	if errors.As(context.Cause(ctx), &stop) {
		return command.Exit(stop.Code(), fmt.Errorf("\nExiting gracefully on %s", stop.How()))
	}
	return f.failed(ctx, &client.RunnerError{Fun: call.Fun, Reason: err.Error()}, "")
}

// ears are a runner's master as far as this command hears it.
type ears struct {
	runners.Env // nil: state.event needs nothing of it
	c           *client.Client
	told        *telling
}

// Listen reads the events of the bus until one is the last, or cannot be shown.
func (e ears) Listen(ctx context.Context, heard func(tag string, data *value.Map) bool) (err error) {
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
		if !heard(ev.Tag, data) || e.told.err != nil {
			return nil
		}
	}
}

// Endless is true: the user can stop it.
func (ears) Endless() bool { return true }
