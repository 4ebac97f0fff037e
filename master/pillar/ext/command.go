package ext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/momtree/mom/value"
)

const (
	// maxOutput bounds what a program prints, in bytes.
	maxOutput = 16 << 20
	// shownOutput is how much of what it said is told when it fails.
	shownOutput = 300
	// lastGasp is how long a program that was ended may hold its output open.
	lastGasp = 2 * time.Second
)

func init() {
	Register(Source{
		Name: "cmd_yaml", Check: checkCommand, Load: loadCommand(shell, readYAML),
		Doc: `
What a command prints as YAML. A shell runs it; %s in it is the id of the minion. A command
that fails, or prints no mapping, is an error.

    ext_pillar:
      - cmd_yaml: /usr/local/bin/pillar-of %s
`,
	})
	Register(Source{
		Name: "cmd_json", Check: checkCommand, Load: loadCommand(words, readJSON),
		Doc: `
What a program prints as JSON. No shell runs it: words are split as a shell would, and that
is all; %s is the id of the minion. A program that fails, or prints no mapping, is an error.

    ext_pillar:
      - cmd_json: 'curl -s https://cmdb.example/%s'
`,
	})
}

func checkCommand(conf any) error {
	_, err := commandOf(conf)
	return err
}

func commandOf(conf any) (string, error) {
	a, err := bind(conf, "command")
	if err != nil {
		return "", err
	}
	return a.text("command")
}

// loadCommand runs a command and reads its output.
func loadCommand(split func(string) ([]string, error), read func([]byte) (any, error)) func(context.Context, *Call) (*value.Map, error) {
	return func(ctx context.Context, c *Call) (*value.Map, error) {
		command, err := commandOf(c.Conf)
		if err != nil {
			return nil, err
		}
		if strings.Contains(command, "%s") {
			id, err := plainID(c.ID)
			if err != nil {
				return nil, err
			}
			command = strings.ReplaceAll(command, "%s", id)
		}
		argv, err := split(command)
		if err != nil {
			return nil, fmt.Errorf("command %q: %w", command, err)
		}
		out, err := Run(ctx, Program{Argv: argv})
		if err != nil {
			return nil, err
		}
		v, err := read(out)
		if err != nil {
			return nil, fmt.Errorf("what %s prints: %w", argv0(argv), err)
		}
		return asMap(v, "what "+argv0(argv)+" prints")
	}
}

func argv0(argv []string) string {
	if len(argv) == 3 && argv[0] == "/bin/sh" {
		return argv[2]
	}
	return argv[0]
}

func shell(command string) ([]string, error) { return []string{"/bin/sh", "-c", command}, nil }

// errTooMuch ends a program that prints without end.
var errTooMuch = fmt.Errorf("it has printed more than %d bytes", maxOutput)

// bounded keeps so much, and fails what would be more. The buffer has a name, for its own
// ReadFrom knows no bound.
type bounded struct {
	buf  bytes.Buffer
	room int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || b.buf.Len()+len(p) > b.room; b.over {
		return 0, errTooMuch
	}
	return b.buf.Write(p)
}

// head keeps the first so many bytes and passes over the rest.
type head struct {
	buf  bytes.Buffer
	room int
}

func (h *head) Write(p []byte) (int, error) {
	h.buf.Write(p[:min(len(p), max(0, h.room-h.buf.Len()))])
	return len(p), nil
}

// Program is a program to run.
type Program struct {
	Argv []string
	Dir  string // "": that of the master
	Any  bool   // any exit code will do
}

// Run runs a program, with all it starts, until ctx ends and gives what it printed. That
// it failed is an error with the beginning of what it said.
func Run(ctx context.Context, p Program) ([]byte, error) {
	cmd := exec.CommandContext(ctx, p.Argv[0], p.Argv[1:]...)
	out, said := &bounded{room: maxOutput}, &head{room: shownOutput}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay, cmd.Dir = out, said, lastGasp, p.Dir
	alone(cmd)
	err := cmd.Run()
	var exit *exec.ExitError
	switch name := argv0(p.Argv); {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: it was ended: %w", name, context.Cause(ctx))
	case out.over:
		return nil, fmt.Errorf("%s: %w", name, errTooMuch)
	case err != nil && (!p.Any || !errors.As(err, &exit)):
		if text := strings.TrimSpace(said.buf.String()); text != "" {
			return nil, fmt.Errorf("%s: %w: %s", name, err, text)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out.buf.Bytes(), nil
}
