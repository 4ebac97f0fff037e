package command

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/versions"
)

const (
	versionsFlag = "versions-report"
	versionsHelp = "show the versions of all that this program is made of and exit"
)

// report is the flag --versions-report: it ends the reading of options, as --version
// does, whatever else stands on the line.
type report struct{ asked bool }

func (*report) String() string   { return "false" }
func (*report) Type() string     { return "bool" }
func (*report) IsBoolFlag() bool { return true }

func (r *report) Set(string) error {
	r.asked = true
	return errDone
}

// reportOf gives the flag to c and its sub-commands; a command that is prepared
// anew keeps the one it has.
func reportOf(c *cobra.Command) *report {
	if f := c.PersistentFlags().Lookup(versionsFlag); f != nil {
		if r, ok := f.Value.(*report); ok {
			r.asked = false
			return r
		}
	}
	r := &report{}
	c.PersistentFlags().VarPF(r, versionsFlag, "V", versionsHelp).NoOptDefVal = "true"
	return r
}

func writeVersions(w io.Writer, version string) error {
	_, err := io.WriteString(w, versions.Text(versions.Program(version)))
	return err
}
