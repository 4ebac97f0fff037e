// Package matrix is the command momlab matrix: every pair of daemons of mom and of installed Salts.
package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/lab/matrix"
	"github.com/momtree/mom/lab/peers"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/test/program"
)

type options struct {
	program, dir, net, file, only, page string
	pageOnly                            bool
}

// Command is momlab matrix.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "matrix", Short: "Play every pair of daemons of mom and of installed Salts; writes docs/reference/compatibility.md",
		Long: "momlab matrix plays trees of mom and of the Salts in the directories SALT_PEER, SALT_PEER3 and SALT_PEER8\n" +
			"of the environment, and writes the page. It exits with status 1 if a cell has a fault without a note.",
		Args: command.NoArgs,
	}
	fl := c.Flags()
	fl.StringVar(&o.program, "program", "", "a built mom (default: build it)")
	fl.StringVar(&o.dir, "dir", "", "directory for the worlds, with a short name; logs of those that failed stay there (default: a new one in the temporary directory)")
	fl.StringVar(&o.net, "net", "127.52", "the first two bytes of the loopback addresses")
	fl.StringVar(&o.file, "json", "lab/matrix/testdata/matrix.json", "file with the figures; those of worlds played again are replaced")
	fl.StringVar(&o.only, "only", "", `play only the pairings of this name, such as "mom – Salt 3006", or with a final * those that begin with it; - stands for –`)
	fl.StringVar(&o.page, "page", "docs/reference/compatibility.md", "file of the page")
	fl.BoolVar(&o.pageOnly, "page-only", false, "write the page from the figures without playing")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if !o.pageOnly {
			if err := play(cmd.Context(), o); err != nil {
				return err
			}
		}
		r, err := matrix.Read(o.file)
		if err != nil {
			return err
		}
		return os.WriteFile(o.page, []byte(matrix.Page(r)), 0o644)
	}
	return c
}

// errFaults means that a cell has a fault without a note.
var errFaults = errors.New("the matrix has faults without a note")

// play plays the matrix and returns errFaults if a cell has a fault without a note.
func play(ctx context.Context, o options) error {
	salts, err := peers.Find()
	if err != nil {
		return err
	}
	if len(salts) < 2 {
		return errors.New("SALT_PEER3 is not set: set it to the directory of an installed Salt with version 3 of the request protocol (3006.12, 3007.4 or newer), beside SALT_PEER with version 2")
	}
	eighth, err := peers.Find8()
	if err != nil {
		return err
	}
	if eighth == nil {
		return errors.New("SALT_PEER8 is not set: set it to the directory of an installed Salt 3008")
	}
	salts = append(salts, eighth)
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "mx"); err != nil {
			return err
		}
		defer os.Remove(o.dir) // logs stay
	} else if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	if o.program == "" {
		o.program = filepath.Join(o.dir, "mom")
		defer os.Remove(o.program)
		if err := program.Build(ctx, o.program); err != nil {
			return err
		}
	}
	began := time.Now()
	opt := matrix.Options{
		Program: o.program, Dir: o.dir, Net: o.net, Mom: commit(ctx),
		Say: func(format string, args ...any) {
			fmt.Printf("%7.1fs  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
		},
	}
	if o.only != "" {
		name, more := strings.CutSuffix(strings.ReplaceAll(o.only, " - ", " – "), "*")
		opt.Only = func(p matrix.Pairing) bool {
			return p.Name() == name || more && strings.HasPrefix(p.Name(), name)
		}
	}
	r, err := matrix.Play(ctx, opt, salts)
	if err != nil {
		return err
	}
	if len(r.Tables) == 0 {
		return fmt.Errorf("--only %q: no such pairing", o.only)
	}
	faults := r.Faults()
	for _, f := range faults {
		fmt.Println("FAULT:", f)
	}
	before, err := matrix.Read(o.file)
	if err == nil {
		err = before.Merge(r).Write(o.file)
	}
	if err == nil && len(faults) > 0 {
		err = errFaults
	}
	return err
}

// commit returns the commit that is built, as git describes it; "" outside a checkout.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--abbrev=7").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
