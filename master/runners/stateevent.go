package runners

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/functions"
)

// Listener is an [Env] with an event bus to read.
type Listener interface {
	// Listen calls heard with tag and data of each event until ctx ends or heard returns false. The
	// error says why the bus cannot be read any longer.
	Listen(ctx context.Context, heard func(tag string, data *wire.Map) bool) error
	// Endless reports whether the call may run forever: someone is able to stop it.
	Endless() bool
}

func init() {
	Register(Function{
		Name: "state.event", Args: []string{"tagmatch=", "count=", "quiet=", "sock_dir=", "pretty=", "node="}, Run: stateEvent, Doc: `
Watch the event bus: one line for each event, with its tag, a tab and its data as JSON. The
command salt-run reads the bus itself until it is stopped. With a login, and for programs,
the master watches; count then sets the end.

tagmatch : *
    The tags: a glob or a regular expression for the whole tag.
count : -1
    The number of events to wait for; -1 never ends.
quiet : False
    Print nothing; only wait for count events.
pretty : False
    Print the data in several lines, with sorted keys.
sock_dir
    Must be empty: the sockets are set in the configuration.
node : master
    Must be master: only the bus of the master is available.

    salt-run state.event
    salt-run state.event 'salt/minion/*/start' count=3 quiet=True
`,
	})
}

// watch holds the parameters of state.event.
type watch struct {
	fits          target.Patterns
	count         int // events still to come; negative means no limit
	quiet, pretty bool
}

// readWatch reads the parameters of a call.
func readWatch(c *Call) (w watch, err error) {
	tag := "*"
	if v, ok := c.Given("tagmatch"); ok {
		tag = fmt.Sprint(v)
	}
	w.fits = target.NewPatterns([]string{tag})
	w.count = -1
	if _, ok := c.Given("count"); ok {
		if w.count, err = strconv.Atoi(c.Text("count")); err != nil || w.count < -1 {
			return w, invalid("count=%s is neither -1 nor a number of events", c.Text("count"))
		}
	}
	if w.quiet, err = c.Flag("quiet", false); err != nil {
		return w, err
	}
	if w.pretty, err = c.Flag("pretty", false); err != nil {
		return w, err
	}
	if d := c.Text("sock_dir"); d != "" {
		return w, invalid("sock_dir=%s: the bus is set in the configuration; use another with salt-run -c", d)
	}
	if n := c.Text("node"); n != "" && n != "master" {
		return w, invalid("node=%s: only the bus of the master is available", n)
	}
	return w, nil
}

func stateEvent(ctx context.Context, c *Call) (any, error) {
	l, ok := c.Env.(Listener)
	if !ok {
		return nil, errors.New("state.event: no event bus")
	}
	w, err := readWatch(c)
	if err != nil {
		return nil, err
	}
	if w.count < 0 && !l.Endless() {
		return nil, invalid("count is required here: the number of events after which it ends")
	}
	var fault error
	err = l.Listen(ctx, func(tag string, data *wire.Map) bool {
		if !w.fits.Match(tag) || printed(tag) {
			return true
		}
		if !w.quiet {
			var line string
			if line, fault = eventLine(tag, data, w.pretty); fault != nil {
				return false
			}
			c.Print(line)
		}
		if w.count > 0 {
			w.count--
		}
		return w.count != 0
	})
	return nil, errors.Join(err, fault)
}

// printed reports whether an event is a printed line of a runner call. state.event skips these, or
// it would print its own output.
func printed(tag string) bool {
	return strings.HasPrefix(tag, "salt/run/") && strings.HasSuffix(tag, "/"+functions.KindPrint)
}

// eventLine formats an event as state.event prints it.
func eventLine(tag string, data *wire.Map, pretty bool) (string, error) {
	indent, shown := -1, any(data)
	if pretty {
		indent = 4
		shown = inOrder(data)
	}
	text, err := output.Text("json", shown, output.Options{Indent: &indent})
	if err != nil {
		return "", fmt.Errorf("event %s: %w", tag, err)
	}
	return tag + "\t" + strings.TrimSuffix(text, "\n"), nil
}

// inOrder returns v with the keys of all maps sorted.
func inOrder(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = inOrder(e)
		}
		return out
	case *wire.Map:
		keys := v.Keys()
		slices.SortStableFunc(keys, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		out := wire.NewMap()
		for _, k := range keys {
			e, _ := v.GetKey(k)
			out.Set(k, inOrder(e))
		}
		return out
	}
	return v
}
