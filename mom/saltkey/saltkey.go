package saltkey

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/options"
	"github.com/momtree/mom/value"
)

// Command is salt-key.
func Command() *cobra.Command {
	return command.Salt{
		Name:  "salt-key",
		Usage: "[options]",
		Short: "Accept, reject, delete and show the keys of minions and nodes below this master",
		Begin: func(s *options.Set) func(*cobra.Command, []string) error {
			f := &flags{}
			f.register(s)
			return f.run
		},
	}.Command()
}

// flags are the options of the command salt-key.
type flags struct {
	command.Frame
	user              string
	quiet, yes        bool
	rotate, setRotate bool

	actions []string // the action options, as given
	action  func(k *run) error
	wrong   error // error of the line as a whole

	includeAll, includeAccepted, includeRejected, includeDenied bool

	genDir     string
	keysize    int
	priv, pub  string
	signature  string
	autoCreate bool
}

func (f *flags) register(s *options.Set) {
	f.genDir, f.keysize = ".", crypt.DefaultBits
	f.RegisterDir(s, "master")
	s.Text(&f.user, "-u --user", "USER", "work as this user; default: the master's option user")
	s.Bool(&f.quiet, "-q --quiet", "show errors and questions only")
	s.Bool(&f.yes, "-y --yes", "do not ask, assume yes")
	s.Func("--rotate-aes-key", "BOOL", "let the master use a new session key after an accepted key was deleted or rejected; default: the master's option rotate_aes_key", f.setRotation)

	// -l and -a mean something else here.
	f.Logs.RegisterLong(s)
	f.Output.Register(s)
	f.Login.RegisterLong(s)
	f.API.Register(s)

	s.Group("Actions")
	do := func(names, help string, action func(k *run) error) {
		s.Do(names, help, func() error { return f.choose(names, action) })
	}
	with := func(names, metavar, help string, action func(k *run, arg string) error) {
		s.Func(names, metavar, help, func(v string) error {
			if v == "" {
				return &options.Error{Text: metavar + " is empty"}
			}
			return f.choose(names, func(k *run) error { return action(k, v) })
		})
	}
	s.Func("-l --list", "STATE", "show keys: pre, un, unaccepted; acc, accepted; rej, rejected; den, denied; all", f.list)
	s.Values("--list", "pre", "un", "unaccepted", "acc", "accepted", "rej", "rejected", "den", "denied", "all")
	do("-L --list-all", "show all keys (the default action)", (*run).listAll)
	with("-a --accept", "GLOB", "accept pending keys", (*run).accept)
	do("-A --accept-all", "accept all pending keys", func(k *run) error { return k.accept("*") })
	with("-r --reject", "GLOB", "reject pending keys", (*run).reject)
	do("-R --reject-all", "reject all pending keys", func(k *run) error { return k.reject("*") })
	s.Bool(&f.includeAll, "--include-all", "also accept rejected keys, or reject accepted ones")
	s.Bool(&f.includeAccepted, "--include-accepted", "also reject accepted keys")
	s.Bool(&f.includeRejected, "--include-rejected", "also accept rejected keys")
	s.Bool(&f.includeDenied, "--include-denied", "also accept or reject denied keys")
	with("-p --print", "GLOB", "show public keys", (*run).print)
	do("-P --print-all", "show all public keys", func(k *run) error { return k.print("*") })
	with("-d --delete", "GLOB", "delete keys in any state", (*run).delete)
	do("-D --delete-all", "delete all keys", func(k *run) error { return k.delete("*") })
	with("-f --finger", "GLOB", "show the fingerprints of keys", (*run).finger)
	do("-F --finger-all", "show all fingerprints, the master's own first", func(k *run) error { return k.finger("*") })
	do("--finger-master", "show the fingerprints of the master's own keys", (*run).fingerMaster)

	s.Group("Key Generation Options")
	with("--gen-keys", "NAME", "make a key pair: NAME.pem and NAME.pub", (*run).genKeys)
	s.Text(&f.genDir, "--gen-keys-dir", "DIR", "directory for the pair; default: the current one")
	s.Func("--keysize", "BITS", "its size, 2048 or more; default: 2048", f.setKeysize)
	do("--gen-signature", "make the signature of the master's public key", (*run).genSignature)
	s.Text(&f.priv, "--priv", "FILE", "the private key to sign with; default: the master's signing key")
	s.Text(&f.pub, "--pub", "FILE", "the public key to sign; default: master.pub")
	s.Text(&f.signature, "--signature-path", "DIR", "directory for the signature; default: that of the master's keys")
	s.Bool(&f.autoCreate, "--auto-create", "make the signing key pair if it does not exist")
}

func (f *flags) setRotation(v string) error {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		f.rotate = true
	case "false", "no", "off", "0":
		f.rotate = false
	default:
		return &options.Error{Text: fmt.Sprintf("'%s' is neither True nor False", v)}
	}
	f.setRotate = true
	return nil
}

// maxKeysize is Salt's limit of --keysize, in bits. Keys of more than [crypt.MaxKeyBits] are refused
// when they are made.
const maxKeysize = 32768

func (f *flags) setKeysize(v string) error {
	if _, err := fmt.Sscanf(v+"\n", "%d\n", &f.keysize); err != nil {
		return &options.Error{Text: fmt.Sprintf("invalid integer value: '%s'", v)}
	}
	switch {
	case f.keysize < crypt.DefaultBits:
		f.refuse("The minimum value for keysize is %d", crypt.DefaultBits)
	case f.keysize > maxKeysize:
		f.refuse("The maximum value for keysize is %d", maxKeysize)
	}
	return nil
}

func (f *flags) list(word string) error {
	if word == "all" {
		return f.choose("-l --list", (*run).listAll)
	}
	st, err := keys.ParseState(word)
	if err != nil || strings.HasPrefix(word, "minions") {
		f.refuse("'%s' is not a valid argument to '--list'", word)
	}
	return f.choose("-l --list", func(k *run) error { return k.list(st) })
}

// choose sets the action. Two different actions in one line are refused: users need not know which of
// them Salt would run.
func (f *flags) choose(names string, action func(k *run) error) error {
	for _, a := range f.actions {
		if a != names {
			f.refuse("The options %s and %s are mutually exclusive. Please only choose one of them", a, names)
		}
	}
	f.actions, f.action = append(f.actions, names), action
	return nil
}

// refuse keeps the first error of a line as a whole. An error of a single option is reported with
// its name.
func (f *flags) refuse(format string, args ...any) {
	if f.wrong == nil {
		f.wrong = &options.Error{Text: fmt.Sprintf(format, args...)}
	}
}

// run is one run of the command salt-key.
type run struct {
	*flags
	conf   *config.Master // nil if master is set
	master client.Master  // master asked by its wheel; nil: the keys are in directories of this machine
	cmd    *cobra.Command
	out    io.Writer // results
	stdout io.Writer
	stderr io.Writer
	log    *slog.Logger
}

func (f *flags) run(cmd *cobra.Command, words []string) (err error) {
	if f.wrong != nil {
		return f.wrong
	}
	// Salt's handbook says `salt-key -F master`, where master has no meaning.
	if len(words) > 0 && !(len(f.actions) > 0 && f.actions[0] == "-F --finger-all") {
		if len(f.actions) > 0 && f.actions[0] == "-D --delete-all" {
			return &options.Error{Text: "Delete all takes no arguments. Use -d to delete specified keys"}
		}
		return &options.Error{Text: fmt.Sprintf("unexpected argument '%s'", words[0])}
	}
	return f.Run(cmd, f.work)
}

func (f *flags) work(w *command.Work) error {
	k := &run{flags: f, cmd: w.Cmd, stdout: w.Stdout, stderr: w.Stderr, log: w.Log}
	if err := k.begin(w); err != nil {
		return err
	}
	if f.quiet {
		k.stdout = io.Discard
	}
	var err error
	if k.out, err = w.ResultsTo(k.stdout); err != nil {
		return err
	}
	if f.action == nil {
		return k.listAll()
	}
	return f.action(k)
}

// begin opens the keys: those of this machine, or with a login those of the master that the command
// uses.
func (k *run) begin(w *command.Work) error {
	afar, err := k.Afar()
	if err != nil {
		return err
	}
	if afar || k.Login.Eauth != "" {
		if err := k.consistent(); err != nil {
			return err
		}
		k.master, _, err = w.Master()
		return err
	}
	if k.Login != (command.Login{}) {
		return &options.Error{Text: "-T, --username, --password and --password-file need a login service: --auth NAME"}
	}
	if k.conf, _, err = config.LoadMaster(k.Dir); err != nil {
		return err
	}
	k.Output.Configure(k.conf, k.log)
	return workAs(cmp.Or(k.user, k.conf.User), k.user != "")
}

// consistent refuses actions that only work on the master's own machine.
func (k *run) consistent() error {
	for _, a := range k.actions {
		if a == "--gen-keys" || a == "--gen-signature" {
			return &options.Error{Text: a + " makes files on this machine without a master: remove --api and --auth"}
		}
	}
	if k.user != "" || k.setRotate {
		return &options.Error{Text: "--user and --rotate-aes-key only work on the master's own machine; its options user and rotate_aes_key apply here"}
	}
	return nil
}

// plain reports whether the output is for people. Any other output is a single document
// only.
func (k *run) plain() bool { return k.Output.Outputter == "" || k.Output.Outputter == "key" }

// show prints a result.
func (k *run) show(v any) error {
	return output.Render(k.out, cmp.Or(k.Output.Outputter, "key"), v, k.Output.Options(k.cmd.OutOrStdout()))
}

// selected returns a selection in Salt's form. order names the order of the directories, and all
// includes those without a key.
func selected(sel keys.Selection, order []keys.State, all bool) *value.Map {
	m := value.NewMap()
	for _, st := range order {
		ids := sel[st]
		if ids == nil {
			ids = []string{}
		}
		if len(ids) > 0 || all {
			m.Set(st.Folder(), ids)
		}
	}
	return m
}
