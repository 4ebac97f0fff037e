package command_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/process"
	"github.com/momtree/mom/mom/command"
)

// stubborn makes a process of this test a command that works on, whatever its context says.
const stubborn = "MOM_TEST_STUBBORN"

func runStubborn() int {
	command.SetStopTime(200 * time.Millisecond)
	c := &cobra.Command{Use: "x", RunE: func(cmd *cobra.Command, _ []string) error {
		if os.Getenv(stubborn) == "daemon" {
			command.OnOverdue(cmd.Context(), func(_ time.Duration, running []string) {
				cmd.PrintErrln("logged", strings.Join(running, ", "))
			})
		}
		defer process.BeginWork("rendering of spin.sls")()
		cmd.Println("ready")
		for n := 0; ; n++ {
			if n < 0 {
				return nil
			}
		}
	}}
	return command.Run(command.Prepare(c, "x", "v1"), nil, os.Stdin, os.Stdout, os.Stderr)
}

func TestSignalEndsWhatDoesNotListen(t *testing.T) {
	for role, want := range map[string]string{
		"command": "x did not stop within 200ms of the signal; still running: rendering of spin.sls (",
		"daemon":  "logged rendering of spin.sls (",
	} {
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), stubborn+"="+role)
			var errOut bytes.Buffer
			cmd.Stderr = &errOut
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if line != "ready\n" {
				t.Fatalf("%q", line)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, out); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 128+int(sig) || !strings.HasPrefix(errOut.String(), want) {
				t.Errorf("%s, %v: exit %d, %q", role, sig, code, errOut.String())
			}
		}
	}
}
