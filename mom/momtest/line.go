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

// Version is what commands that [Run] runs tell of the program.
const Version = "v1.2.3-test"

// JID finds job ids.
var JID = regexp.MustCompile(`\b20\d{18}\b`)

// Ran is what a command did.
type Ran struct {
	Code     int
	Out, Err string
}

// Ended is what a command did that ended with code.
func Ended(code int, out, err string) Ran { return Ran{code, out, err} }

func (r Ran) String() string {
	return fmt.Sprintf("exit %d\n--stdout--\n%s\n--stderr--\n%s", r.Code, r.Out, r.Err)
}

// Run runs a new command in this process, with the words behind its name and what
// it reads from standard input.
func Run(c *cobra.Command, in string, args ...string) Ran {
	var out, errOut bytes.Buffer
	code := command.Run(command.Prepare(c, c.Name(), Version), args, strings.NewReader(in), &out, &errOut)
	return Ran{code, out.String(), errOut.String()}
}

// Until runs again and again until what was done is as wanted.
func Until(t *testing.T, run func() Ran, as func(Ran) bool) Ran {
	t.Helper()
	var r Ran
	if !waiting.Became(Patience, func() bool { r = run(); return as(r) }) {
		t.Fatalf("it did not come to be as wanted; last: %v", r)
	}
	return r
}

// SortedLines makes the order in which minions answer irrelevant.
func SortedLines(s string) string {
	l := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	slices.Sort(l)
	return strings.Join(l, "\n")
}
