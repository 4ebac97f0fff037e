package tops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// maxOutput limits the output of a command, in bytes.
const maxOutput = 1 << 20

// extNodes runs a command.
type extNodes struct{ argv []string }

func newExtNodes(config any) (Top, error) {
	line, ok := config.(string)
	if !ok {
		return nil, errors.New("the command is not a string")
	}
	argv, err := pyfmt.SplitCommand(line)
	if err == nil && len(argv) == 0 {
		err = errors.New("the command is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("command %q: %w", line, err)
	}
	return extNodes{argv}, nil
}

// States runs the command without a shell. Its last argument is the id of the minion. It prints
// YAML: classes, a list of states or a mapping with states as keys, and environment, by default
// base.
func (e extNodes) States(ctx context.Context, id string) (map[string][]string, error) {
	//mutant:tops-dash-id,tops-own-id
	if strings.HasPrefix(id, "-") {
		return nil, fmt.Errorf("%s would read the id %s as an option", e.argv[0], id)
	}
	var out, complaint capped
	cmd := exec.CommandContext(ctx, e.argv[0], append(append([]string{}, e.argv[1:]...), id)...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &complaint, time.Second
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", e.argv[0], id, errors.Join(err, ctx.Err()), complaint.line())
	}
	if out.full {
		return nil, fmt.Errorf("%s %s prints more than %d bytes", e.argv[0], id, maxOutput)
	}
	v, err := pyfmt.ReadYAML(out.b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s %s prints invalid YAML: %w", e.argv[0], id, err)
	}
	return classes(v)
}

// classes parses the output of the command.
func classes(v any) (map[string][]string, error) {
	if v == nil {
		return nil, nil // the command does not know the minion
	}
	m, ok := v.(*wire.Map)
	if !ok {
		return nil, errors.New("the output is not a mapping with classes")
	}
	env := "base"
	if e, _ := m.Get("environment"); e != nil {
		env = pyfmt.Str(e)
	}
	var list []any
	switch c, _ := m.Get("classes"); c := c.(type) {
	case nil:
		return nil, nil
	case []any:
		list = c
	case *wire.Map:
		list = c.Keys()
	default:
		return nil, errors.New("classes is neither a list nor a mapping")
	}
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = pyfmt.Str(x)
	}
	return map[string][]string{env: names}, nil
}

// capped is a buffer that keeps output up to a limit.
type capped struct {
	b    bytes.Buffer
	full bool
}

func (c *capped) Write(p []byte) (int, error) {
	if room := maxOutput - c.b.Len(); len(p) > room {
		c.full = true
		c.b.Write(p[:room])
		return len(p), nil
	}
	return c.b.Write(p)
}

// line returns its beginning, for an error.
func (c *capped) line() string {
	text, _, _ := strings.Cut(strings.TrimSpace(c.b.String()), "\n")
	return text[:min(len(text), 300)]
}
