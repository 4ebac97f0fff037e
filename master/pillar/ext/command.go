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
	// maxOutput limits the output of a program, in bytes.
	maxOutput = 16 << 20
	// shownOutput limits the standard error shown for a failed program.
	shownOutput = 300
	// lastGasp is how long a killed program may keep its output open.
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

// loadCommand returns a Load that runs a command and parses its output.
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

// errTooMuch ends a program whose output exceeds the limit.
var errTooMuch = fmt.Errorf("printed more than %d bytes", maxOutput)

// bounded is a buffer that fails beyond a limit. The embedded buffer is a named field, because its
// ReadFrom would ignore the limit.
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

// head keeps the first bytes and discards the rest.
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

// Run runs a program until ctx ends and returns its output. It kills the children too. A failure is
// an error with the beginning of its standard error.
func Run(ctx context.Context, p Program) ([]byte, error) {
	cmd := exec.CommandContext(ctx, p.Argv[0], p.Argv[1:]...)
	out, said := &bounded{room: maxOutput}, &head{room: shownOutput}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay, cmd.Dir = out, said, lastGasp, p.Dir
	alone(cmd)
	err := cmd.Run()
	var exit *exec.ExitError
	switch name := argv0(p.Argv); {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: killed: %w", name, context.Cause(ctx))
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
