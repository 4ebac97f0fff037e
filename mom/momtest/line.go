package momtest

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/mom/command"
)

// Patience bounds each wait for a tree or a command.
const Patience = 60 * time.Second

// Version is the version that commands run by [Run] report.
const Version = "v1.2.3-test"

// JID matches job ids.
var JID = regexp.MustCompile(`\b20\d{18}\b`)

// Ran is the result of a command.
type Ran struct {
	Code     int
	Out, Err string
}

// Ended returns the result of a command with an exit code.
func Ended(code int, out, err string) Ran { return Ran{code, out, err} }

func (r Ran) String() string {
	return fmt.Sprintf("exit %d\n--stdout--\n%s\n--stderr--\n%s", r.Code, r.Out, r.Err)
}

// Run runs a new command in this process, with the arguments after its name and its standard
// input.
func Run(c *cobra.Command, in string, args ...string) Ran {
	var out, errOut bytes.Buffer
	code := command.Run(command.Prepare(c, c.Name(), Version), args, strings.NewReader(in), &out, &errOut)
	return Ran{code, out.String(), errOut.String()}
}

// Until repeats a command until its result is as wanted.
func Until(t *testing.T, run func() Ran, as func(Ran) bool) Ran {
	t.Helper()
	var r Ran
	if !waiting.Became(Patience, func() bool { r = run(); return as(r) }) {
		t.Fatalf("timed out; the last result: %v", r)
	}
	return r
}

// SortedLines sorts the lines of an output, since minions answer in any order.
func SortedLines(s string) string {
	l := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	slices.Sort(l)
	return strings.Join(l, "\n")
}
