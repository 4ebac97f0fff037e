// Package debug is the command mom debug: what a report of a fault needs, from a daemon of
// this machine.
package debug

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/command"
)

// Command is mom debug.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use:   "debug",
		Short: "Collect what a report of a fault needs",
		Args:  command.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(bundleCommand())
	return c
}

// collecting bounds one bundle.
const collecting = time.Minute

func bundleCommand() *cobra.Command {
	var dir, role, file string
	c := &cobra.Command{
		Use:   "bundle",
		Short: "Write goroutines, heap, metrics, the log's end and the configuration into one file",
		Long: "Writes a tar.gz for a report: versions, the options of the files with passwords, keys\n" +
			"and tokens masked, the last MiB of the log, and what the daemon serves with\n" +
			"debug_socket: True: its goroutines, its heap and its metrics. It reads only, and sends\n" +
			"nothing. Look through the file before you give it away: the log names minions, jobs\n" +
			"and users.",
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx, cancel := context.WithTimeout(cmd.Context(), collecting)
			defer cancel()
			s, err := sourceOf(dir, role)
			if err != nil {
				return command.Exit(command.ExitFailure, err)
			}
			if file == "" {
				file = fmt.Sprintf("mom-debug-%s-%s.tar.gz", s.role, time.Now().Format("20060102-150405"))
			}
			f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return command.Exit(command.ExitFailure, err)
			}
			b := newBundle(f, time.Now())
			s.collect(ctx, b, command.Version(cmd))
			if err := errors.Join(b.close(), f.Close()); err != nil {
				return command.Exit(command.ExitFailure, fmt.Errorf("write %s: %w", file, errors.Join(err, os.Remove(file))))
			}
			for _, m := range b.missing {
				_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "not in it:", m) // the file says so too
			}
			abs, err := filepath.Abs(file)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), abs)
			return err
		},
	}
	c.Flags().StringVarP(&dir, "config-dir", "c", config.DefaultDir(), "directory with the configuration")
	c.Flags().StringVar(&role, "role", "", "which daemon of the folder: master (a node too), minion or api (default: master if the folder has its file)")
	c.Flags().StringVarP(&file, "output", "o", "", "file to write, which must not be there (default: mom-debug-ROLE-TIME.tar.gz here)")
	command.Values(c, "role", "master", "minion", "api")
	return c
}
