package saltkey

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/daemon"
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
	dir, user         string
	quiet, yes        bool
	rotate, setRotate bool

	actions []string // the options that say what to do, as given
	action  func(k *run) error
	wrong   error // what the line cannot mean

	includeAll, includeAccepted, includeRejected, includeDenied bool

	genDir     string
	keysize    int
	priv, pub  string
	signature  string
	autoCreate bool

	output command.Output
	logs   command.Log
}

func (f *flags) register(s *options.Set) {
	f.dir, f.genDir, f.keysize = "/etc/salt", ".", crypt.DefaultBits
	s.Text(&f.dir, "-c --config-dir", "DIR", "folder with the file master; default: /etc/salt")
	s.Text(&f.user, "-u --user", "USER", "work as this user; default: the master's option user")
	s.Bool(&f.quiet, "-q --quiet", "show errors and questions only")
	s.Bool(&f.yes, "-y --yes", "ask nothing, the answer is yes")
	s.Func("--rotate-aes-key", "BOOL", "have the master use a new session key after an accepted key was deleted or rejected; default: the master's option rotate_aes_key", f.setRotation)

	// Not command.Log.Register: -l means something else here.
	s.Group("Logging Options")
	s.Func("--log-level", "LEVEL", "what is told on standard error; default: warning", command.LogLevel(&f.logs.Level))
	s.Values("--log-level", daemon.Levels()...)
	s.Text(&f.logs.File, "--log-file", "FILE", "keep a log of this command in a file")
	s.Func("--log-file-level", "LEVEL", "what that file is told; default: as --log-level", command.LogLevel(&f.logs.FileLevel))
	s.Values("--log-file-level", daemon.Levels()...)
	f.output.Register(s)

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
	do("-L --list-all", "show all keys; so it is without any action", (*run).listAll)
	with("-a --accept", "GLOB", "accept pending keys", (*run).accept)
	do("-A --accept-all", "accept all pending keys", func(k *run) error { return k.accept("*") })
	with("-r --reject", "GLOB", "reject pending keys", (*run).reject)
	do("-R --reject-all", "reject all pending keys", func(k *run) error { return k.reject("*") })
	s.Bool(&f.includeAll, "--include-all", "accept rejected keys as well, or reject accepted ones")
	s.Bool(&f.includeAccepted, "--include-accepted", "reject accepted keys as well")
	s.Bool(&f.includeRejected, "--include-rejected", "accept rejected keys as well")
	s.Bool(&f.includeDenied, "--include-denied", "accept or reject denied keys as well")
	with("-p --print", "GLOB", "show public keys", (*run).print)
	do("-P --print-all", "show all public keys", func(k *run) error { return k.print("*") })
	with("-d --delete", "GLOB", "delete keys, in whatever state", (*run).delete)
	do("-D --delete-all", "delete all keys", func(k *run) error { return k.delete("*") })
	with("-f --finger", "GLOB", "show the fingerprints of keys", (*run).finger)
	do("-F --finger-all", "show all fingerprints, the master's own first", func(k *run) error { return k.finger("*") })
	do("--finger-master", "show the fingerprints of the master's own keys", (*run).fingerMaster)

	s.Group("Key Generation Options")
	with("--gen-keys", "NAME", "make a key pair: NAME.pem and NAME.pub", (*run).genKeys)
	s.Text(&f.genDir, "--gen-keys-dir", "DIR", "where to put it; default: this folder")
	s.Func("--keysize", "BITS", "its size, 2048 or more; default: 2048", f.setKeysize)
	do("--gen-signature", "make the signature of the master's public key", (*run).genSignature)
	s.Text(&f.priv, "--priv", "FILE", "the private key to sign with; default: the master's signing key")
	s.Text(&f.pub, "--pub", "FILE", "the public key to sign; default: master.pub")
	s.Text(&f.signature, "--signature-path", "DIR", "where to put the signature; default: the folder of the master's keys")
	s.Bool(&f.autoCreate, "--auto-create", "make the signing key pair if it is lacking")
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

func (f *flags) setKeysize(v string) error {
	if _, err := fmt.Sscanf(v+"\n", "%d\n", &f.keysize); err != nil {
		return &options.Error{Text: fmt.Sprintf("invalid integer value: '%s'", v)}
	}
	if f.keysize < crypt.DefaultBits {
		f.refuse("The minimum value for keysize is %d", crypt.DefaultBits)
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

// choose sets what to do. Two different things in one line are refused: which of
// them Salt does is nothing one should have to know.
func (f *flags) choose(names string, action func(k *run) error) error {
	for _, a := range f.actions {
		if a != names {
			f.refuse("The options %s and %s are mutually exclusive. Please only choose one of them", a, names)
		}
	}
	f.actions, f.action = append(f.actions, names), action
	return nil
}

// refuse keeps the first thing that is wrong with a line as a whole; what is wrong
// with one option is told with its name.
func (f *flags) refuse(format string, args ...any) {
	if f.wrong == nil {
		f.wrong = &options.Error{Text: fmt.Sprintf(format, args...)}
	}
}

// run is one run of the command salt-key.
type run struct {
	*flags
	conf   *config.Master
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
	// Salt's own handbook says `salt-key -F master`, where master means nothing.
	if len(words) > 0 && !(len(f.actions) > 0 && f.actions[0] == "-F --finger-all") {
		return &options.Error{Text: fmt.Sprintf("unexpected argument '%s'", words[0])}
	}
	k := &run{flags: f, cmd: cmd, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
	log, closer, err := f.logs.Open(k.stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	k.log = log
	if k.conf, _, err = config.LoadMaster(f.dir); err != nil {
		return err
	}
	f.output.Configure(k.conf, log)
	if err := workAs(cmp.Or(f.user, k.conf.User), f.user != ""); err != nil {
		return err
	}
	if f.quiet {
		k.stdout = io.Discard
	}
	w, err := f.output.Open(k.stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	k.out = w
	if f.action == nil {
		return k.listAll()
	}
	return f.action(k)
}

// plain tells whether the output is the one for people; any other is one document
// and nothing else.
func (k *run) plain() bool { return k.output.Outputter == "" || k.output.Outputter == "key" }

// show writes a result.
func (k *run) show(v any) error {
	return output.Render(k.out, cmp.Or(k.output.Outputter, "key"), v, k.output.Options(k.cmd.OutOrStdout()))
}

// store opens the key folders. They are there once a master has run; a command
// that looks does not make them.
func (k *run) store() (*keys.Store, error) {
	if _, err := os.Stat(k.conf.PkiDir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no keys: pki_dir %s does not exist; no master has run with the configuration in %s", k.conf.PkiDir, k.dir)
	}
	s, err := keys.Open(keys.Options{PkiDir: k.conf.PkiDir, HashType: k.conf.HashType, AutosignTimeout: k.conf.AutosignTimeout, Log: k.log})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// with opens the key folders for fn.
func (k *run) with(fn func(s *keys.Store) error) (err error) {
	s, err := k.store()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return fn(s)
}

// selected is a selection in Salt's form; order names the folders' order, and all
// keeps those without a key.
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
