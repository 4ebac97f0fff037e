package auth

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/config"
)

// Backend is a login service that is ready to be asked. It is asked by several at once.
type Backend interface {
	// Check tells who has this name and password. An error that wraps [ErrDenied] says
	// that nobody has; its text is for the log, where it must not show the password.
	// Any other error says that it could not be found out.
	Check(ctx context.Context, c Credentials) (Identity, error)
}

// Expander is a [Backend] that knows minions as well: it replaces in rules what only the
// login service understands by targets that a master understands.
type Expander interface {
	// Wanted tells whether rules hold anything of that kind.
	Wanted(rules []any) bool
	Expand(ctx context.Context, rules []any) ([]any, error)
}

// Config is what a [Backend] is opened with.
type Config struct {
	// Entries is what external_auth holds for it: users and groups, and options of its
	// own beginning with ^.
	Entries map[string]any
	// Values are all options of the master by name, as the files have them.
	Values map[string]any
	Log    *slog.Logger
	Now    func() time.Time
}

// Driver opens a login service by the name that external_auth has for it.
type Driver struct {
	Name string
	// Doc says who knows names and passwords there, and what each option does.
	Doc string
	// Options are the names of those. One that begins with ^ stands among the entries
	// of external_auth, any other at the top of the configuration.
	Options []string
	// Secrets are those of the options that nobody else may read.
	Secrets []string
	// Bearer says that what comes as password is a token that tells whose it is, so
	// that a user name is not needed.
	Bearer bool
	// Trusting says that any password will do, an empty one too.
	Trusting bool
	// AtOnce is how many checks may run at once; 0: they cost nothing.
	AtOnce int
	Open   func(Config) (Backend, error)
}

// verify tells what is wrong with how a login service is declared.
func (d Driver) verify() error {
	if d.Name == "" || d.Open == nil || strings.TrimSpace(d.Doc) == "" {
		return fmt.Errorf("%q is without name, code or documentation", d.Name)
	}
	for _, o := range slices.Concat(d.Options, d.Secrets) {
		if !slices.Contains(d.Options, o) || !strings.Contains(d.Doc, o) {
			return fmt.Errorf("%s: its option %s is not listed, or not documented", d.Name, o)
		}
	}
	return nil
}

// drivers is written when the program starts.
var drivers = map[string]Driver{}

// Register makes a login service known, and its options to the configuration. It is
// called from init of the file that has it, and panics on a fault in the declaration.
func Register(d Driver) {
	err := d.verify()
	if _, taken := drivers[d.Name]; err == nil && taken {
		err = fmt.Errorf("%s is registered twice", d.Name)
	}
	if err != nil {
		panic("auth: " + err.Error())
	}
	drivers[d.Name] = d
	own := func(o string) bool { return strings.HasPrefix(o, "^") }
	config.KnowLogin(slices.DeleteFunc(slices.Clone(d.Options), own), d.Secrets)
}

// open opens a login service with its entries of external_auth.
func (d Driver) open(cf Config) (Backend, error) {
	for _, name := range slices.Sorted(maps.Keys(cf.Entries)) {
		if strings.HasPrefix(name, "^") && !slices.Contains(d.Options, name) {
			return nil, fmt.Errorf("%s is no option of it%s", name, d.ownOptions())
		}
	}
	return d.Open(cf)
}

// ownOptions names those that stand in external_auth.
func (d Driver) ownOptions() string {
	own := slices.DeleteFunc(slices.Clone(d.Options), func(o string) bool { return !strings.HasPrefix(o, "^") })
	if len(own) == 0 {
		return ": it has none there"
	}
	return "; use " + strings.Join(own, ", ")
}
