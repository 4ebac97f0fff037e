package salt

import (
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/callargs"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/options"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// flags are the options of the command salt.
type flags struct {
	command.Frame
	timeout int

	static, async, verbose, hideTimeout, showJID, summary, doc, preview, progress, dump bool

	batch     string
	batchWait float64
	failhard  bool
	safe      safeguard
	subset    int
	queue     time.Duration

	separator                 string
	metadata                  string
	startEvent                bool
	ret, retConfig, retKwargs string
	executors, executorOpts   string

	target command.Target
}

func (f *flags) register(s *options.Set) {
	f.separator = ","
	f.RegisterDir(s, "master")
	s.Int(&f.timeout, "-t --timeout", "SECONDS", "seconds until a silent minion is asked whether it still runs the job; default: the master's option timeout")
	f.RegisterWords(s)
	s.Bool(&f.static, "-s --static", "show all results together, as one document, when the last is in")
	s.Bool(&f.async, "--async", "start the job, show its id, and do not wait")
	s.Bool(&f.progress, "-p --progress", "show on standard error who has returned of those that have to, by node, and a summary at the end, in the place of results; with --static the results as well")
	s.Bool(&f.verbose, "-v --verbose", "show the job id, and in the summary who did not return or failed")
	s.Bool(&f.hideTimeout, "--hide-timeout", "say nothing of minions that did not return")
	s.Bool(&f.showJID, "--show-jid", "show the job id")
	s.Text(&f.batch, "-b --batch --batch-size", "N", "run on N minions, or N% of them, at a time")
	s.Int(&f.safe.limit, "--batch-safe-limit", "N", "run in batch mode if the target matches N minions or more; default: the master's option batch_safe_limit")
	s.Text(&f.safe.size, "--batch-safe-size", "N", "the batch size that --batch-safe-limit uses; default: the master's option batch_safe_size")
	s.Float(&f.batchWait, "--batch-wait", "SECONDS", "in batch mode, how long the slot of a minion that is done stays taken")
	s.Bool(&f.failhard, "--failhard", "in batch mode, start no more after the first failure")
	s.Int(&f.subset, "--subset", "N", "run on N random minions of those the target means that know the function")
	s.Func("--queue", "DURATION", "minions that are offline get the job when they return within this time: 90s, 30m, 2h, 7d; without a unit in seconds", func(v string) (err error) {
		f.queue, err = callargs.Duration(v)
		return err
	})
	s.Text(&f.ret, "--return", "RETURNER", "returners, separated by commas, that minions hand their result to as well")
	s.Text(&f.retConfig, "--return_config", "NAME", "the alternative settings of the returners to use")
	s.Text(&f.retKwargs, "--return_kwargs", "MAP", "settings of the returners, in YAML")
	s.Text(&f.executors, "--module-executors", "LIST", "executors that run the function on the minion, as a YAML list")
	s.Text(&f.executorOpts, "--executor-opts", "MAP", "options of the executors, in YAML")
	s.Bool(&f.doc, "-d --doc --documentation", "show the documentation of a function or module instead of running it")
	s.Text(&f.separator, "--args-separator", "WORD", "what separates the arguments of several functions; default: a comma")
	s.Bool(&f.summary, "--summary", "count at the end who returned and who failed")
	s.Text(&f.metadata, "--metadata", "DATA", "data in YAML to keep with the job")
	s.Bool(&f.startEvent, "--start-event", "have minions fire the event salt/job/JID/start/ID before they run the function")
	s.Bool(&f.preview, "--preview-target", "show which minions the target should match, and send nothing")

	s.Bool(&f.dump, "--config-dump", "show the options of the file master, with the defaults and without secrets, and exit")
	f.target.Register(s, "-C --compound")
	f.RegisterMaster(s)
}

// configure takes from the master's configuration what the line does not say.
func (f *flags) configure(c command.Configuration) {
	set := func(v any, known bool) bool { return known && v == true }
	f.showJID = f.showJID || set(c.Get("show_jid"))
	f.summary = f.summary || set(c.Get("cli_summary")) && f.Output.Outputter == ""
	if v, known := c.Get("show_timeout"); known && v == false {
		f.hideTimeout = true
	}
	f.safe.configure(c)
}

// lacking tells that a line has no target or no function.
type lacking struct {
	text string
	help bool
}

func (l *lacking) Error() string { return l.text }

// line is what a command line asks for.
type line struct {
	target string
	fun    []string
	args   []any
}

// line reads the words beside the options.
func (f *flags) line(words []string) (line, error) {
	if f.doc {
		if len(words) == 0 {
			words = []string{"*"}
		}
		if len(words) == 1 || words[1] != "sys.doc" {
			words = append([]string{words[0], "sys.doc"}, words[1:]...)
		}
		if len(words) > 3 {
			return line{}, &options.Error{Text: "You can only get documentation for one method at one time."}
		}
	}
	switch {
	case len(words) == 0:
		return line{}, &lacking{"\nCannot execute command without defining a target.\n", true}
	case len(words) == 1 && f.preview:
		words = append(words, "test.ping") // never sent
	case len(words) == 1:
		return line{}, &lacking{"\nIncomplete options passed.\n", true}
	}
	l := line{target: words[0], fun: strings.Split(words[1], ",")}
	if len(l.fun) == 1 {
		l.args = f.Arguments(words[2:])
		return l, nil
	}
	groups := callargs.Groups(words[2:], len(l.fun), f.separator)
	switch {
	case len(groups) < len(l.fun):
		return line{}, &lacking{"Cannot execute compound command without defining all arguments.", false}
	case len(groups) > len(l.fun):
		return line{}, &lacking{"Cannot execute compound command with more arguments than commands.", false}
	}
	for _, g := range groups {
		l.args = append(l.args, f.Arguments(g))
	}
	return l, nil
}

// job is the publication for a line.
func (f *flags) job(l line) (client.Job, error) {
	j := client.Job{Fun: l.fun, Args: l.args, Ret: f.ret, Extra: map[string]any{}}
	f.target.Of(&j, l.target)
	j.Queue = f.queue
	if f.timeout > 0 {
		j.Timeout = time.Duration(f.timeout) * time.Second
	}
	if f.metadata != "" {
		j.Extra["metadata"] = pyfmt.YAMLWord(f.metadata)
	}
	if f.startEvent {
		j.Extra["start_event"] = true
	}
	if f.retConfig != "" {
		j.Extra["ret_config"] = f.retConfig
	}
	if f.retKwargs != "" {
		v, ok := pyfmt.YAMLWord(f.retKwargs).(*value.Map)
		if !ok {
			return j, fmt.Errorf("--return_kwargs: %q is not a map such as '{\"db\": \"salt\"}'", f.retKwargs)
		}
		j.Extra["ret_kwargs"] = v
	}
	if f.executors != "" {
		v, ok := pyfmt.YAMLWord(f.executors).([]any)
		if !ok {
			v = []any{f.executors}
		}
		j.Extra["module_executors"] = v
	}
	if f.executorOpts != "" {
		v, ok := pyfmt.YAMLWord(f.executorOpts).(*value.Map)
		if !ok {
			return j, fmt.Errorf("--executor-opts: %q is not a map such as '{\"splay_time\": 10}'", f.executorOpts)
		}
		j.Extra["executor_opts"] = v
	}
	return j, nil
}
