package salt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/options"
	"github.com/momtree/mom/mom/report"
	"github.com/momtree/mom/salt/modules"
	_ "github.com/momtree/mom/salt/modules/state" // every function of a minion
)

// exitNoTarget is Salt's exit code for a line without target or function.
const exitNoTarget = 42

// Command is salt.
func Command() *cobra.Command {
	return command.Salt{
		Name:      "salt",
		Usage:     "[options] '<target>' <function> [arguments]",
		Short:     "Run functions on many minions at once and show their answers",
		Functions: modules.Functions,
		Examples:  examples,
		Begin: func(s *options.Set) func(*cobra.Command, []string) error {
			f := &flags{}
			f.register(s)
			return func(cmd *cobra.Command, words []string) error { return f.run(cmd, words, s) }
		},
		Targets: func(s *options.Set) func(context.Context, string) []string {
			f := &flags{}
			f.register(s)
			return func(ctx context.Context, begun string) []string { return f.Minions(ctx, &f.target, begun) }
		},
	}.Command()
}

const examples = `  salt '*' test.ping                                who answers
  salt 'web*' cmd.run 'uptime'                      run a command
  salt -L web1,web2 state.apply nginx test=True     what a state would change
  salt -G os:Debian pkg.install curl                by a grain
  salt -C 'G@os:Debian and not db*' grains.items    join targets; quote them
  salt -b 10% '*' service.restart nginx             in batches of a tenth
  salt -b 10 --async '*' state.apply                the same, driven by the master
  salt --async '*' state.apply                      do not wait; salt-run jobs.lookup_jid JID shows the results
  salt --out=json --static '*' network.ip_addrs     one JSON document for programs
`

// call is one run of the command salt.
type call struct {
	f      *flags
	client client.Master
	job    client.Job
	exact  []string
	out    io.Writer // results
	stdout io.Writer
	stderr io.Writer
	log    *slog.Logger
}

func (f *flags) run(cmd *cobra.Command, words []string, s *options.Set) (err error) {
	if words, err = f.Words(cmd, words); err != nil {
		return err
	}
	if err := f.consistent(); err != nil {
		return err
	}
	if f.dump {
		return f.dumpConfig(cmd.OutOrStdout())
	}
	line, err := f.line(words)
	if err != nil {
		return f.incomplete(cmd.OutOrStdout(), s, err)
	}
	f.API.Expected = f.progress
	return f.Run(cmd, func(w *command.Work) error { return f.work(w, line) })
}

func (f *flags) work(w *command.Work, line line) error {
	r := &call{f: f, stdout: w.Stdout, stderr: w.Stderr, log: w.Log}
	var conf command.Configuration
	var err error
	if r.client, conf, err = w.Master(); err != nil {
		return err
	}
	f.configure(conf)
	f.Output.Arguments(line.args)
	f.target.Explain(w.Stderr, line.target)
	if r.job, err = f.job(line); err != nil {
		return command.Exit(report.NoReturn, err)
	}
	if r.job, err = r.client.Resolve(r.job); err != nil {
		if errors.Is(err, client.ErrNoGroup) {
			return command.InSaltsWay(command.Exit(report.NoReturn, err), f.Output.Text(err.Error()), "")
		}
		return command.Exit(report.NoReturn, err)
	}
	r.exact = r.client.Named(r.job)
	if r.out, err = w.Results(); err != nil {
		return err
	}
	return r.traced(w, conf)
}

func (r *call) do(ctx context.Context) error {
	if r.f.preview {
		return r.preview(ctx)
	}
	if r.f.subset > 0 {
		job, err := r.client.Subset(ctx, r.job, r.f.subset)
		if err != nil {
			return r.refused(ctx, err, "")
		}
		r.job, r.exact = job, r.client.Named(job)
	}
	if err := r.guard(ctx); err != nil {
		return err
	}
	switch {
	case r.f.async && r.f.batch != "":
		return r.startBatch(ctx)
	case r.f.async:
		return r.start(ctx)
	case r.f.batch != "":
		return r.batch(ctx)
	}
	return r.follow(ctx)
}

// incomplete handles a line without target or function: it prints the help and what is missing.
func (f *flags) incomplete(out io.Writer, s *options.Set, err error) error {
	var lacks *lacking
	if !errors.As(err, &lacks) {
		return err
	}
	if lacks.help {
		if _, err := fmt.Fprint(out, "Usage: salt [options] '<target>' <function> [arguments]\n\n"); err != nil {
			return err
		}
		if err := s.WriteHelp(out); err != nil {
			return err
		}
	}
	return command.Exit(exitNoTarget, lacks)
}

// start publishes and does not wait (--async).
func (r *call) start(ctx context.Context) error {
	p, err := r.client.Publish(ctx, r.job)
	if err != nil {
		return r.refused(ctx, err, "")
	}
	_, err = fmt.Fprintf(r.stdout, "Executed command with job ID: %s\n", p.JID)
	return err
}

// progress returns the bar of --progress, or nil without that option. The bar is drawn until the
// returned function is called.
func (r *call) progress(ctx context.Context, own []string) (*report.Progress, func()) {
	if !r.f.progress {
		return nil, func() {}
	}
	o := report.ProgressOptions{W: r.stderr}
	if file := terminal.File(r.stderr); terminal.Is(r.stderr) {
		o.W, o.Live = file, true // the bar contains no foreign text and moves the cursor
		o.Width = func() int { return terminal.Width(file) }
	}
	p := report.NewProgress(o)
	p.Expect(own)
	ctx, cancel := context.WithCancel(ctx)
	var drawing sync.WaitGroup
	drawing.Go(func() { p.Run(ctx) })
	return p, func() {
		cancel()
		drawing.Wait()
	}
}

func (r *call) report(p *report.Progress) *report.Report { return report.New(r.shown(p)) }

// shown returns the options of the report.
func (r *call) shown(p *report.Progress) report.Options {
	notes := r.stdout
	if r.f.Output.Machine() && r.f.Output.File == "" {
		notes = r.stderr
	}
	ids := notes
	if os.Getenv(command.SaltWay) == "1" {
		ids = r.stdout
	}
	return report.Options{
		Results: r.out, Notes: notes, IDs: ids, Errors: r.stderr,
		Outputter: r.f.Output.Outputter, Output: r.f.Output.Options(r.stdout),
		Static: r.f.static, HideTimeout: r.f.hideTimeout, Verbose: r.f.verbose, ShowJID: r.f.showJID,
		Summary: r.f.summary || p != nil, Progress: p, Docs: r.job.Fun[0] == "sys.doc", Exact: r.exact,
	}
}

// follow runs the job and shows updates until it is complete.
func (r *call) follow(ctx context.Context) (err error) {
	job, err := r.client.Follow(ctx, r.job)
	if err != nil {
		return r.refused(ctx, err, job.Published.JID)
	}
	defer func() { err = errors.Join(err, job.Close()) }()
	bar, drawn := r.progress(ctx, job.Own)
	defer drawn()
	rep := r.report(bar)
	job.Enough = rep.Counts
	r.log.Debug("job published", "jid", job.JID, "minions", len(job.Minions), "missing", job.Missing, "nodes", job.Nodes)
	rep.Asked(len(job.Nodes))
	rep.Started(job.JID)
	for {
		u, err := job.Next(ctx)
		if err != nil {
			return r.refused(ctx, err, job.JID)
		}
		if u.Complete != nil {
			if err := r.fetch(ctx, job.JID, rep); err != nil {
				return err
			}
			drawn()
			code, err := rep.Close(u.Complete)
			r.mistyped(code)
			return verdict(code, err)
		}
		if err := rep.Update(u); err != nil {
			return err
		}
	}
}

// mistyped suggests a function for a mistyped name. Minions may have functions that this program
// does not know, so it does so only if the job failed.
func (r *call) mistyped(code int) {
	if code == 0 || len(r.job.Fun) != 1 {
		return
	}
	if text := command.Meant(r.job.Fun[0], modules.Functions()); text != "" {
		_, _ = fmt.Fprintln(r.stderr, text) // best effort
	}
}

// fetch reads results that were too large for the event bus from the job cache.
func (r *call) fetch(ctx context.Context, jid string, rep *report.Report) error {
	cut := rep.Cut()
	if len(cut) == 0 {
		return nil
	}
	all, err := r.client.Runner(ctx, "jobs.lookup_jid", jid)
	if err != nil {
		r.log.Error("large results not read from the job cache", "minions", cut, "err", err)
		return nil // the report says how to look them up
	}
	for _, id := range cut {
		whole, err := all.Field(id)
		if err != nil || whole == nil {
			continue // as above
		}
		if err := rep.Whole(id, whole); err != nil {
			return err
		}
	}
	return nil
}

// verdict returns the end of a command whose output is complete.
func verdict(code int, err error) error {
	if err != nil || code == 0 {
		return err
	}
	return command.Exit(code, nil)
}

// refused returns the error of a command whose job was not started or cannot be followed any
// longer.
func (r *call) refused(ctx context.Context, err error, jid string) error {
	var stop *command.Signalled
	if errors.As(context.Cause(ctx), &stop) {
		return command.Exit(stop.Code(), errors.New(report.Interrupted(stop.How(), jid)))
	}
	var no *client.Refused
	switch {
	case errors.Is(err, client.ErrNoMatch):
		return verdict(r.report(nil).NoMatch("No minions matched the target. No command was sent, no jid was assigned."))
	case errors.As(err, &no):
		return r.f.Refusal(report.NoReturn, no)
	case errors.Is(err, client.ErrBusLost), errors.Is(err, client.ErrNotReported):
		return command.Exit(report.Failed, err)
	case errors.Is(err, client.ErrNoKey): // the master may be running
		return command.Exit(report.NoReturn, err)
	}
	return command.Exit(report.NoReturn, r.f.Unasked(err))
}
