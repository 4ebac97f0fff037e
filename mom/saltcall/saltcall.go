package saltcall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/options"
	"github.com/momtree/mom/mom/report"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/pyfmt"
)

// exitNotAvailable is Salt's code for a function that does not exist.
const exitNotAvailable = 255

// IndirectEnv is the variable of the environment that has salt-call run its function
// indirectly ([minion.CallOptions]), for reactions of the type caller.
const IndirectEnv = "MOM_CALL_INDIRECT"

// Command is salt-call.
func Command() *cobra.Command {
	return command.Salt{
		Name:      "salt-call",
		Usage:     "[options] <function> [arguments]",
		Short:     "Run a function on this minion, in this process",
		Functions: modules.Functions,
		Begin: func(s *options.Set) func(*cobra.Command, []string) error {
			f := &flags{}
			f.register(s)
			return f.run
		},
	}.Command()
}

// flags are the options of the command salt-call.
type flags struct {
	command.Frame
	grains, doc, local, noEvent, onlyID    bool
	passRetcode, showMetadata              bool
	master, returners, metadata, id, cache string
	timeout                                int

	fileRoots, pillarRoots, moduleDirs, statesDirs []string
}

func (f *flags) register(s *options.Set) {
	f.RegisterDir(s, "minion")
	f.RegisterWords(s)
	s.Bool(&f.grains, "-g --grains", "show the grains of this minion")
	s.Bool(&f.doc, "-d --doc --documentation", "show the documentation of a function or module, or of all")
	s.Text(&f.master, "--master", "HOST", "the master to use; default: the option master")
	s.Text(&f.returners, "--return", "RETURNER", "returners, separated by commas, that get the result as well")
	s.Bool(&f.local, "--local", "contact no master: files and pillar are of this host, and the result is told to nobody")
	s.Bool(&f.passRetcode, "--retcode-passthrough", "exit with the return code of the function")
	s.Bool(&f.showMetadata, "--metadata", "show the whole record of the call, not its result alone")
	s.Text(&f.metadata, "--set-metadata", "DATA", "data in YAML to keep with the job")
	s.Text(&f.id, "--id", "ID", "the minion id to use; default: the option id")
	s.Text(&f.cache, "--cachedir", "DIR", "the cache folder to use; default: the option cachedir")
	s.Bool(&f.onlyID, "--skip-grains", "load no grains but the id")
	s.Bool(&f.noEvent, "--no-return-event", "do not tell the master the result")
	s.Int(&f.timeout, "-t --timeout", "SECONDS", "seconds for one request of the sign-in; default: the option auth_timeout")
	s.Func("--file-root", "DIR", "serve salt:// from this folder of this host; may be repeated, earlier ones win", folder(&f.fileRoots))
	s.Func("--pillar-root", "DIR", "compile the pillar from this folder of this host; may be repeated", folder(&f.pillarRoots))
	s.Func("-m --module-dirs", "DIR", "a further folder of external modules; may be repeated", folder(&f.moduleDirs))
	s.Func("--states-dir", "DIR", "a folder of state modules, as Salt has it: the Python files in it are named and not run", folder(&f.statesDirs))
	f.Output.Register(s)
	f.Logs.Register(s)
}

// statesNotRun names the Python state modules of --states-dir.
func (f *flags) statesNotRun(log *slog.Logger) {
	for _, dir := range f.statesDirs {
		found, err := filepath.Glob(filepath.Join(dir, "*.py"))
		if _, missing := os.Stat(dir); err == nil {
			err = missing
		}
		if err != nil {
			log.Warn("directory of --states-dir unreadable", "err", err)
			continue
		}
		for _, path := range found {
			log.Warn("state module not run: it is in Python", "path", path, "hint", "docs/guide/states.md lists the states there are")
		}
	}
}

// folder returns what appends the absolute path of a folder to list.
func folder(list *[]string) func(string) error {
	return func(dir string) error {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		*list = append(*list, abs)
		return nil
	}
}

func (f *flags) run(cmd *cobra.Command, words []string) (err error) {
	if words, err = f.Words(cmd, words); err != nil {
		return err
	}
	o, err := f.call(command.Version(cmd), words)
	if err != nil {
		return err
	}
	return f.Run(cmd, func(w *command.Work) error { return f.work(w, o) })
}

func (f *flags) work(w *command.Work, o minion.CallOptions) (err error) {
	ctx := w.Cmd.Context()
	o.Log = w.Log
	if o.Config, err = f.config(ctx, o.Log); err != nil {
		return err
	}
	if (o.Local || o.Config.Masterless()) && !f.grains && !f.doc {
		if o.Pillars, err = NewPillars(o.Config, o.Log); err != nil {
			return err
		}
	}
	f.Output.Configure(o.Config, o.Log)
	f.Output.Arguments(o.Args)
	out, err := w.Results()
	if err != nil {
		return err
	}
	res, err := minion.Call(ctx, o)
	var stop *command.Signalled
	if errors.As(context.Cause(ctx), &stop) {
		return command.Exit(stop.Code(), errors.New(report.Interrupted(stop.How(), "")))
	}
	if err != nil {
		return err
	}
	return f.show(w.Cmd, out, o.Fun, res)
}

// call reads the words beside the options.
func (f *flags) call(version string, words []string) (minion.CallOptions, error) {
	o := minion.CallOptions{
		Version: version, Local: f.local, NoReturnEvent: f.noEvent, SkipGrains: f.onlyID,
		Returners: strings.FieldsFunc(f.returners, func(r rune) bool { return r == ',' }),
	}
	if f.metadata != "" {
		o.Metadata = pyfmt.YAMLWord(f.metadata)
	}
	switch {
	case f.grains && len(words) > 0:
		return o, &options.Error{Text: "-g/--grains does not accept any arguments"}
	case f.doc && len(words) > 1:
		return o, &options.Error{Text: "You can only get documentation for one method at one time"}
	case len(words) == 0 && !f.grains && !f.doc:
		return o, &options.Error{Text: "Requires function, --grains or --doc"}
	case f.grains:
		words = []string{"grains.items"}
	case f.doc:
		words = append([]string{"sys.doc"}, words...)
	}
	if f.grains || f.doc { // questions about this program, not jobs
		o.Local, o.Returners = true, nil
	}
	//mutant:shell-reaction
	o.Indirect = os.Getenv(IndirectEnv) != ""
	_ = os.Unsetenv(IndirectEnv) // what the function starts does not inherit it
	o.Fun = words[0]
	o.Args = f.Arguments(words[1:])
	return o, nil
}

// config is the minion's, changed as the line wants it.
func (f *flags) config(ctx context.Context, log *slog.Logger) (*config.Minion, error) {
	conf, warnings, err := config.LoadMinion(f.Dir)
	if err != nil {
		return nil, err
	}
	log.Debug("Reading configuration from " + conf.ConfFile) //nolint:sloglint // Salt's text
	for _, w := range warnings {
		level := slog.LevelDebug // the daemon tells them when it starts
		if w.Kind == config.Missing {
			level = slog.LevelWarn
		}
		log.Log(ctx, level, w.String()) //nolint:sloglint // the text of a configuration warning
	}
	if f.id != "" {
		conf.ID = f.id
	}
	if f.master != "" {
		conf.Master = []string{f.master}
	}
	if f.cache != "" {
		conf.Cachedir = f.cache
	}
	if f.local {
		conf.FileClient = "local" // files and options are of this host, as in Salt
	} else if len(f.fileRoots)+len(f.pillarRoots) > 0 && !conf.Masterless() {
		log.Warn("--file-root and --pillar-root ignored: files and pillar come from the master", "hint", "add --local")
	}
	f.statesNotRun(log)
	conf.ModuleDirs = append(f.moduleDirs, conf.ModuleDirs...)
	conf.SetRoots(f.fileRoots, f.pillarRoots)
	if f.timeout > 0 {
		conf.AuthTimeout = time.Duration(f.timeout) * time.Second
	}
	return conf, nil
}

// show prints the result and settles the exit code.
func (f *flags) show(cmd *cobra.Command, w io.Writer, fun string, res minion.CallResult) error {
	if res.ReturnErr != nil {
		_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "[ERROR   ] The result was not delivered everywhere: %v\n", res.ReturnErr) // nowhere else to tell
	}
	if res.Err != nil {
		text, _ := res.Return.(string)
		code := command.ExitFailure
		if errors.Is(res.Err, modules.ErrNotAvailable) {
			code = exitNotAvailable
		}
		return command.Exit(code, errors.New(cmp.Or(strings.TrimRight(text, "\n"), res.Err.Error())))
	}
	if err := f.render(cmd.OutOrStdout(), w, fun, res); err != nil {
		return err
	}
	switch {
	case res.Retcode != 0 && f.passRetcode:
		return command.Exit(res.Retcode&0xff, nil)
	case res.Retcode != 0, res.ReturnErr != nil:
		return command.Exit(command.ExitFailure, nil)
	}
	return nil
}

// ordered are the functions whose results come from YAML, which Salt prints in the order of the
// file where they have not travelled.
var ordered = map[string]bool{
	"state.show_sls": true, "state.show_highstate": true, "state.show_low_sls": true, "state.show_lowstate": true,
	"pillar.items": true, "pillar.get": true, "pillar.item": true, "pillar.raw": true, "pillar.data": true, "pillar.fetch": true,
	"slsutil.renderer": true, "jinja.import_yaml": true,
}

func (f *flags) render(stdout, w io.Writer, fun string, res minion.CallResult) error {
	o := f.Output.Options(stdout)
	o.Retcode = res.Retcode
	name := f.Output.Outputter
	if fun == "sys.doc" {
		if m, ok := res.Return.(*wire.Map); ok {
			return report.Docs(w, []*wire.Map{m}, name, o)
		}
	}
	if name == "" && output.Known(res.Out) {
		name = res.Out
	}
	o.Ordered = ordered[fun]
	v := res.Return
	if f.showMetadata {
		v = wire.NewMap("jid", res.JID, "return", res.Return, "retcode", res.Retcode, "id", res.ID, "fun", res.Fun, "fun_args", res.FunArgs)
	}
	return output.Render(w, name, wire.NewMap("local", v), o)
}
