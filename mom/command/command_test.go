package command_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/options"
)

func TestMain(m *testing.M) {
	if os.Getenv(stubborn) != "" {
		os.Exit(runStubborn())
	}
	goleak.VerifyTestMain(m)
}

// run runs a command that ends with err.
func run(err error, args ...string) (code int, errOut string) {
	var e bytes.Buffer
	c := &cobra.Command{Use: "x", Args: command.NoArgs, RunE: func(*cobra.Command, []string) error { return err }}
	code = command.Run(command.Prepare(c, "x", "v1"), args, strings.NewReader(""), &e, &e)
	return code, e.String()
}

func TestRun_CodeAndText(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name string
		err  error
		args []string
		code int
		text string
	}{
		{"done", nil, nil, 0, ""},
		{"any error", boom, nil, command.ExitFailure, "boom\n"},
		{"a code", command.Exit(command.ExitPorts, boom), nil, command.ExitPorts, "boom\n"},
		{"a code without words", command.Exit(command.ExitAway, nil), nil, command.ExitAway, ""},
		{"a code beside another error", errors.Join(errors.New("else"), command.Exit(7, boom)), nil, 7, "boom\n"},
		{"a code inside an error", fmt.Errorf("more: %w", command.Exit(7, boom)), nil, 7, "boom\n"},
		{"an argument", nil, []string{"y"}, command.ExitUsage, "unexpected argument \"y\"\n"},
		{"an option", nil, []string{"--y"}, command.ExitUsage, "Usage: x [options]\n\nx: error: no such option: --y\n"},
	} {
		if code, text := run(c.err, c.args...); code != c.code || text != c.text {
			t.Errorf("%s: exit %d, %q", c.name, code, text)
		}
	}
}

// TestRun_NothingSteersTheTerminal: whatever a command writes or ends with, and by
// whichever way, passes the guard.
func TestRun_NothingSteersTheTerminal(t *testing.T) {
	const bad = "\x1b]0;PWNED\x07\u009b2J\b\x9b"
	var out, errOut bytes.Buffer
	c := &cobra.Command{Use: "x", RunE: func(cmd *cobra.Command, _ []string) error {
		cmd.Println("out", bad)
		fmt.Fprintln(cmd.OutOrStdout(), "\x1b[0;32mout\x1b[0;0m", bad)
		cmd.PrintErrln("err", bad)
		return errors.New("error " + bad)
	}}
	command.Run(command.Prepare(c, "x", "v1"), nil, strings.NewReader(""), &out, &errOut)
	for _, b := range []*bytes.Buffer{&out, &errOut} {
		text := strings.NewReplacer("\x1b[0;32m", "", "\x1b[0;0m", "").Replace(b.String())
		if strings.ContainsFunc(text, terminal.Obeyed) || strings.Contains(text, "\x9b") {
			t.Errorf("%q", b.String())
		}
	}
	if !strings.Contains(out.String(), "\x1b[0;32mout\x1b[0;0m ?]0;PWNED??2J??") && !strings.Contains(out.String(), "\x1b[0;32mout\x1b[0;0m ?]0;PWNED??2J?\ufffd") {
		t.Errorf("%q", out.String())
	}
	if !strings.Contains(errOut.String(), "error ?]0;PWNED??2J?\ufffd\n") {
		t.Errorf("%q", errOut.String())
	}
}

// A signal ends the command's context and is its cause.
func TestRun_Signal(t *testing.T) {
	for sig, how := range map[syscall.Signal]string{syscall.SIGINT: "Ctrl-c", syscall.SIGTERM: "SIGTERM"} {
		c := &cobra.Command{RunE: func(cmd *cobra.Command, _ []string) error {
			if err := syscall.Kill(syscall.Getpid(), sig); err != nil {
				return err
			}
			<-cmd.Context().Done()
			var stop *command.Signalled
			if err := context.Cause(cmd.Context()); !errors.As(err, &stop) || stop.How() != how {
				return fmt.Errorf("ended by %w", err)
			}
			return command.Exit(stop.Code(), nil)
		}}
		var e bytes.Buffer
		if code := command.Run(command.Prepare(c, "x", ""), nil, strings.NewReader(""), &e, &e); code != 128+int(sig) {
			t.Errorf("%s: exit %d, %s", how, code, e.String())
		}
	}
}

// Options of Salt's commands are fresh in each run, and what is wrong with a line is
// said in the words of Salt's option parser.
func TestSalt(t *testing.T) {
	var got []string
	c := command.Salt{Name: "salt-x", Usage: "[options]", Short: "Do it", Begin: func(s *options.Set) func(*cobra.Command, []string) error {
		text := "default"
		s.Text(&text, "-t --text", "TEXT", "a text")
		return func(_ *cobra.Command, words []string) error {
			got = append(got, text)
			if len(words) > 0 {
				return &options.Error{Text: "no words"}
			}
			return nil
		}
	}}.Command()
	for _, l := range []struct {
		line string
		code int
		out  string
	}{
		{"-t one", 0, ""},
		{"", 0, ""},
		{"--tex=two word", command.ExitUsage, "Usage: salt-x [options]\n\nsalt-x: error: no words\n"},
		{"--nosuch", command.ExitUsage, "Usage: salt-x [options]\n\nsalt-x: error: no such option: --nosuch\n"},
		{"--version", 0, "salt-x v1\n"},
		{"-h", 0, "Usage: salt-x [options]\n\nDo it.\n\nOptions:\n"},
	} {
		var o bytes.Buffer
		code := command.Run(command.Prepare(c, "salt-x", "v1"), strings.Fields(l.line), strings.NewReader(""), &o, &o)
		if code != l.code || !strings.HasPrefix(o.String(), l.out) || l.out == "" && o.Len() > 0 {
			t.Errorf("%q: exit %d\n%s", l.line, code, o.String())
		}
	}
	if text := strings.Join(got, " "); text != "one default two" {
		t.Errorf("the runs saw %s", text)
	}
}
