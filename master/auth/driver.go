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

// Option is an option of a login service.
type Option struct {
	// Name is auth.SERVICE.NAME at the top of the configuration, or ^NAME among the entries
	// of the service in external_auth.
	Name string
	// Type is for the reader of the documentation: string, boolean, integer, list.
	Type string
	// Default is empty for none.
	Default string
	// Doc ends in "Not in Salt." if Salt has no such option.
	Doc string
	// Secret masks the value wherever options are shown.
	Secret bool
}

// Driver opens a login service by the name that external_auth has for it.
type Driver struct {
	Name string
	// Doc says who checks names and passwords.
	Doc string
	// Options are listed on the page docs/reference/options.md.
	Options []Option
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
	for _, o := range d.Options {
		if o.Name == "" || o.Type == "" || o.Doc == "" {
			return fmt.Errorf("%s: option %q lacks a name, type or documentation", d.Name, o.Name)
		}
	}
	return nil
}

// names lists the options.
func (d Driver) names() []string {
	var out []string
	for _, o := range d.Options {
		out = append(out, o.Name)
	}
	return out
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
	var top, secret []string
	for _, o := range d.Options {
		switch {
		case strings.HasPrefix(o.Name, "^"): // an entry of external_auth
			continue
		case o.Secret:
			secret = append(secret, o.Name)
		}
		top = append(top, o.Name)
	}
	if prefix := "auth." + d.Name; slices.ContainsFunc(top, func(o string) bool { return strings.HasPrefix(o, prefix+".") }) {
		top = append(top, prefix) // the map of them
	}
	config.KnowLogin(top, secret)
}

// open opens a login service with its entries of external_auth.
func (d Driver) open(cf Config) (Backend, error) {
	for _, name := range slices.Sorted(maps.Keys(cf.Entries)) {
		if strings.HasPrefix(name, "^") && !slices.Contains(d.names(), name) {
			return nil, fmt.Errorf("%s is no option of it%s", name, d.ownOptions())
		}
	}
	return d.Open(cf)
}

// ownOptions names those that stand in external_auth.
func (d Driver) ownOptions() string {
	own := slices.DeleteFunc(d.names(), func(o string) bool { return !strings.HasPrefix(o, "^") })
	if len(own) == 0 {
		return ": it has none there"
	}
	return "; use " + strings.Join(own, ", ")
}
