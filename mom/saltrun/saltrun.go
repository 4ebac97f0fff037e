package saltrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/options"
	"github.com/momtree/mom/value"
)

// Command is salt-run.
func Command() *cobra.Command {
	return command.Salt{
		Name:      "salt-run",
		Usage:     "[options] <function> [arguments]",
		Short:     "Ask a master about its jobs, its minions and the tree below it",
		Functions: runners.Names,
		Examples: `  salt-run manage.status                     which minions are up
  salt-run jobs.list_jobs                    which jobs there were
  salt-run jobs.lookup_jid JID               the results of one
  salt-run state.orchestrate orch.deploy     run salt://orch/deploy.sls
  salt-run -d jobs                           what the functions of a runner do
`,
		Arguments: func(s *options.Set) func(context.Context, []string, string) []string {
			f := &flags{}
			f.register(s)
			return func(ctx context.Context, words []string, begun string) []string {
				if len(words) == 1 && takesJID(words[0]) {
					return f.JIDs(ctx, begun)
				}
				return nil
			}
		},
		Begin: func(s *options.Set) func(*cobra.Command, []string) error {
			f := &flags{}
			f.register(s)
			return f.run
		},
	}.Command()
}

// takesJID reports whether the first argument of a runner is a job id.
func takesJID(fun string) bool {
	fn, ok := runners.Lookup(fun)
	return ok && len(fn.Args) > 0 && fn.Args[0] == "jid"
}

// flags are the options of the command salt-run.
type flags struct {
	command.Frame
	jid        string
	timeout    int
	doc, async bool
	skipGrains bool
}

func (f *flags) register(s *options.Set) {
	f.RegisterDir(s, "master")
	s.Int(&f.timeout, "-t --timeout", "SECONDS", "how long functions wait for minions; default: the master's option timeout")
	s.Text(&f.jid, "--jid", "JID", "id of this call on the event bus; default: a new one")
	f.RegisterWords(s)
	s.Bool(&f.doc, "-d --doc --documentation", "show the documentation of a function, a module or, without a name, all of them")
	s.Bool(&f.async, "--async", "start the function and do not wait; its result goes to the event bus and into the job cache")
	s.Bool(&f.skipGrains, "--skip-grains", "load no grains; runners here never load them")
	f.RegisterMaster(s)
}

func (f *flags) run(cmd *cobra.Command, words []string) (err error) {
	if words, err = f.Words(cmd, words); err != nil {
		return err
	}
	if f.timeout < 0 {
		return &options.Error{Text: fmt.Sprintf("option -t: %d is not a number of seconds", f.timeout)}
	}
	return f.Run(cmd, func(w *command.Work) error { return f.work(w, words) })
}

func (f *flags) work(w *command.Work, words []string) error {
	out, err := w.Results()
	if err != nil {
		return err
	}
	if f.doc || len(words) == 0 {
		return f.docs(out, words) // always as text, as in Salt
	}
	cl, _, err := w.Master()
	if err != nil {
		return err
	}
	ctx, call := w.Cmd.Context(), f.call(words)
	if f.async {
		run, err := cl.StartRunner(ctx, call)
		if err != nil {
			return f.failed(ctx, err, "")
		}
		_, err = fmt.Fprintf(w.Stderr, "[WARNING ] Running in asynchronous mode. Results of this execution may be collected by attaching to the "+
			"master event bus or by examining the master job cache, if configured. This execution is running under tag %s\n", run.Tag)
		return err
	}
	shown := &progress{f: f, w: out, stdout: w.Stdout, stderr: w.Stderr}
	if own := w.Own(); call.Fun == watching && own != nil {
		return f.watch(ctx, own, call, shown)
	}
	call.Progress = shown.hear
	var began client.Started
	call.Began = func(s client.Started) {
		began = s
		w.Log.Info("runner started", "fun", call.Fun, "jid", s.JID)
	}
	result, err := cl.CallRunner(ctx, call)
	if shown.err != nil {
		return shown.err
	}
	var failure *client.RunnerError
	if errors.As(err, &failure) {
		result = failure.Value
	}
	if err == nil || result != nil {
		v, err := result.Decode()
		if err != nil {
			return fmt.Errorf("the result of %s cannot be read: %w", call.Fun, err)
		}
		if err := f.show(out, w.Stdout, v); err != nil {
			return err
		}
		if code, ok := retcode(v); ok && code != 0 && failure == nil {
			return command.Exit(command.ExitFailure, nil)
		}
	}
	return f.failed(ctx, err, began.JID)
}

func (f *flags) call(words []string) client.RunnerCall {
	return client.RunnerCall{
		Fun: words[0], Args: f.Arguments(words[1:]), JID: f.jid, Timeout: time.Duration(f.timeout) * time.Second,
	}
}

// retcode returns the exit code that accompanies the result of states on the master.
func retcode(v any) (code int64, ok bool) {
	m, _ := v.(*value.Map)
	return m.Int("retcode"), m.Has("retcode") && m.Has("outputter") && m.Has("data")
}

// show prints a result. A function may name an outputter for it.
func (f *flags) show(w, stdout io.Writer, v any) error {
	name := f.Output.Outputter
	if m, ok := v.(*value.Map); ok && m.Has("outputter") && m.Has("data") {
		data, _ := m.Get("data")
		_, coded := retcode(v)
		own := name == "" && output.Known(m.String("outputter"))
		if own {
			name = m.String("outputter")
		}
		if m.Len() == 2 || m.Len() == 3 && coded && own { // with --out Salt also shows the exit code
			v = data
		}
	}
	if v == nil && (name == "" || name == "nested") {
		return nil // Salt prints nothing for None
	}
	return output.Render(w, name, v, f.Output.Options(stdout))
}

// failed returns the error of the command, or nil for a call that succeeded. jid is the id of a call
// that the master has begun.
func (f *flags) failed(ctx context.Context, err error, jid string) error {
	var stop *command.Signalled
	var failure *client.RunnerError
	var no *client.Refused
	switch {
	case err == nil:
		return nil
	case errors.As(context.Cause(ctx), &stop):
		text := fmt.Sprintf("\nExiting gracefully on %s; the function continues on the master", stop.How())
		if jid != "" {
			text += "\nThis run's jid is: " + jid + "\nIts result: salt-run jobs.lookup_jid " + jid
		}
		return command.Exit(stop.Code(), errors.New(text))
	case errors.As(err, &failure):
		text := failure.Reason
		if fn, ok := runners.Lookup(failure.Fun); ok && strings.HasPrefix(text, "Passed invalid arguments") {
			text += "\n\nUsage:\n" + indented(fn.Doc)
			return command.InSaltsWay(command.Exit(command.ExitFailure, errors.New(text)), f.Output.Text(text), "")
		}
		if near := command.Meant(failure.Fun, runners.Names()); near != "" {
			text += "\n" + near
		}
		return command.Exit(command.ExitFailure, errors.New(text))
	case errors.As(err, &no):
		return f.Refusal(command.ExitFailure, no)
	case errors.Is(err, client.ErrNoKey):
		return command.Exit(command.ExitFailure, err)
	}
	return command.Exit(command.ExitFailure, f.Unasked(err))
}

// docs shows the documentation of functions. It needs no running master.
func (f *flags) docs(w io.Writer, words []string) error {
	word := ""
	switch len(words) {
	case 0:
	case 1:
		word = words[0]
	default:
		return &options.Error{Text: "You can only get documentation for one method at one time."}
	}
	names := runners.Docs(word)
	if len(names) == 0 {
		return command.Exit(command.ExitFailure, fmt.Errorf("'%s' is neither a runner function nor a module of such; salt-run -d shows them all", word))
	}
	for _, name := range names {
		fn, _ := runners.Lookup(name)
		if _, err := fmt.Fprintf(w, "%s:\n\n%s\n", name, indented(fn.Doc)); err != nil {
			return err
		}
	}
	return nil
}

// indented returns a documentation text as Salt prints it.
func indented(doc string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.Trim(doc, "\n") + "\n") {
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}
