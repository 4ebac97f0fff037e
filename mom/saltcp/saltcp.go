package saltcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/options"
	"github.com/momtree/mom/mom/report"
)

// defaultChunk is Salt's default of salt_cp_chunk_size, in bytes.
const defaultChunk = 98304

// Command is salt-cp.
func Command() *cobra.Command {
	const usage = "[options] '<target>' SOURCE [SOURCE...] DEST"
	return command.Salt{
		Name:  "salt-cp",
		Usage: usage,
		Short: "Copy files of this machine to many minions at once",
		Begin: func(s *options.Set) func(*cobra.Command, []string) error {
			f := &flags{}
			f.register(s)
			return func(cmd *cobra.Command, words []string) error {
				l, err := readLine(words)
				if err != nil {
					fmt.Fprintf(cmd.OutOrStdout(), "Usage: salt-cp %s\n\n", usage) // as Salt does; the error follows
					return errors.Join(s.WriteHelp(cmd.OutOrStdout()), err)
				}
				return f.Run(cmd, func(w *command.Work) error { return f.work(w, l) })
			}
		},
		Targets: func(s *options.Set) func(context.Context, string) []string {
			f := &flags{}
			f.register(s)
			return func(ctx context.Context, begun string) []string { return f.Minions(ctx, &f.target, begun) }
		},
	}.Command()
}

// copying is one run of the command.
type copying struct {
	f       *flags
	l       line
	client  client.Master
	chunk   int            // bytes
	texts   map[string]any // texts for one job, by local path; nil: files go in chunks
	files   []file
	results results
	log     *slog.Logger
}

func (f *flags) work(w *command.Work, l line) error {
	master, conf, err := w.Master()
	if err != nil {
		return err
	}
	f.target.Explain(w.Stderr, l.target)
	c := &copying{f: f, l: l, client: master, chunk: defaultChunk, results: results{}, log: w.Log}
	if n, _ := conf.Get("salt_cp_chunk_size"); n != nil {
		c.chunk = int(n.(int64))
	}
	out, err := w.Results()
	if err != nil {
		return err
	}
	if err := c.read(w.Stderr); err != nil {
		return err
	}
	ctx := w.Cmd.Context()
	if err := c.send(ctx); err != nil {
		return f.ended(ctx, err)
	}
	if err := output.Render(out, f.Output.Outputter, c.results.value(), f.Output.Options(w.Stdout)); err != nil {
		return err
	}
	if !c.results.good() {
		return command.Exit(report.Failed, errors.New("ERROR: Not all minions have got all files"))
	}
	return nil
}

// read lists what to copy, and how.
func (c *copying) read(stderr io.Writer) (err error) {
	if !c.f.chunked {
		var why string
		if c.texts, why, err = texts(c.l.sources); err != nil || why == "" {
			return err
		}
		fmt.Fprintf(stderr, "Copied in chunks, as --chunked does: %s\n", why) // nowhere else to report it
	}
	c.files, err = gather(c.l)
	return err
}

func (c *copying) send(ctx context.Context) error {
	if c.texts != nil {
		return c.whole(ctx)
	}
	for _, file := range c.files {
		if err := c.inChunks(ctx, file); err != nil {
			return err
		}
	}
	return nil
}

// ended returns the error of the command for jobs that could not be run.
func (f *flags) ended(ctx context.Context, err error) error {
	var stop *command.Signalled
	if errors.As(context.Cause(ctx), &stop) {
		return command.Exit(stop.Code(), fmt.Errorf("\nExiting gracefully on %s. Files may be at minions in part", stop.How()))
	}
	var no *client.Refused
	var bad *client.TargetError
	switch {
	case errors.Is(err, errNobody):
		return command.Exit(report.NoReturn, err)
	case errors.As(err, &no):
		return command.Exit(report.NoReturn, errors.New(no.Message))
	case errors.As(err, &bad), errors.Is(err, client.ErrNoKey):
		return command.Exit(report.NoReturn, err)
	case errors.Is(err, client.ErrBusLost):
		return command.Exit(report.Failed, err)
	case errors.Is(err, errLocal), errors.Is(err, fs.ErrPermission):
		return err
	}
	return command.Exit(report.NoReturn, f.Unasked(err))
}
