package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/mom/command"
)

// Command is mom doctor.
func Command() *cobra.Command {
	var dir, out string
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Report what of a Python master's configuration will work here",
		Long: "Reads the configuration of a Python master, its keys, file_roots and pillar_roots, and\n" +
			"reports, before anything is started, what will work, what will not, and what to do. It\n" +
			"constructs the daemons with their own code, on a copy of the configuration with\n" +
			"temporary directories and free ports: a configuration that it accepts starts. It changes\n" +
			"nothing in the directory and makes no connections. Exits 0 if all will work, else 1.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := Examine(dir)
			if err != nil {
				return command.Exit(command.ExitFailure, err)
			}
			switch out {
			case "text":
				err = r.Text(cmd.OutOrStdout())
			case "json":
				indent := 4
				var text string
				if text, err = output.Text("json", r.Value(), output.Options{Indent: &indent}); err == nil {
					_, err = fmt.Fprint(cmd.OutOrStdout(), text)
				}
			default:
				err = command.Exit(command.ExitUsage, fmt.Errorf("--out=%s is neither text nor json", out))
			}
			if err == nil && r.Count(Fails) > 0 {
				err = command.Exit(command.ExitFailure, nil)
			}
			return err
		},
	}
	c.Flags().StringVarP(&dir, "config-dir", "c", config.DefaultDir(), "directory with the configuration")
	c.Flags().StringVar(&out, "out", "text", "output format: text or json")
	command.Values(c, "out", "text", "json")
	return c
}

// patient is the directory under examination.
type patient struct {
	*Report
	dir  string
	conf *config.Master
	// options are the options as written in the files.
	options  map[string]any
	tried    string // temporary directory with a key pair; "": none yet
	readable bool   // the master's files are valid
}

// checks lists the areas in the order of the report.
var checks = []func(*patient){
	lookOptions, lookKeys, lookLayout, lookFileserver, lookSLS, lookExtPillar, lookSecrets, lookPython, lookReactors, lookOrchestrations, lookSchedule, lookReturners, lookCache, lookLogins, lookRules, lookClients, lookMinion, lookStart,
}

// Examine examines a directory. It returns an error if the directory has no master's file.
func Examine(dir string) (*Report, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "master")); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no file master: use -c with the directory of a master, such as /etc/salt", dir)
	} else if err != nil {
		return nil, err
	}
	p := &patient{Report: &Report{Dir: dir}, dir: dir}
	defer func() {
		if p.tried != "" {
			os.RemoveAll(p.tried)
		}
	}()
	for _, look := range checks {
		look(p)
	}
	p.sort()
	return p.Report, nil
}
