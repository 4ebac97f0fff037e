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

// Backend is an open login service. It must be safe for concurrent use.
type Backend interface {
	// Check returns the identity of a name and password. An error that wraps [ErrDenied] says
	// that they are wrong; its text is logged and must not have the password. Any other error
	// says that the check failed.
	Check(ctx context.Context, c Credentials) (Identity, error)
}

// Expander is a [Backend] that also knows minions: it replaces targets in rules that only the login
// service understands.
type Expander interface {
	// Wanted reports whether rules have such targets.
	Wanted(rules []any) bool
	Expand(ctx context.Context, rules []any) ([]any, error)
}

// Config is passed to a driver to open a [Backend].
type Config struct {
	// Entries are those of external_auth for the service: users, groups, and options that
	// start with ^.
	Entries map[string]any
	// Values are all options of the master by name, as in its files.
	Values map[string]any
	Log    *slog.Logger
	Now    func() time.Time
}

// Option is an option of a login service.
type Option struct {
	// Name is auth.SERVICE.NAME at the top level, or ^NAME among the entries of the service in
	// external_auth.
	Name string
	// Type is for the documentation: string, boolean, integer, list.
	Type string
	// Default is empty for none.
	Default string
	// Doc ends in "Not in Salt." if Salt has no such option.
	Doc string
	// Secret masks the value where options are shown.
	Secret bool
}

// Driver opens a login service under its name in external_auth.
type Driver struct {
	Name string
	// Doc says who checks names and passwords.
	Doc string
	// Options are listed on the page docs/reference/options.md.
	Options []Option
	// Bearer says that the password is a token that identifies its user, so no user name is
	// required.
	Bearer bool
	// Trusting says that any password is accepted, even an empty one.
	Trusting bool
	// AtOnce limits concurrent checks; 0 means no limit.
	AtOnce int
	Open   func(Config) (Backend, error)
}

// verify returns what is wrong with the declaration of a login service.
func (d Driver) verify() error {
	if d.Name == "" || d.Open == nil || strings.TrimSpace(d.Doc) == "" {
		return fmt.Errorf("%q lacks a name, code or documentation", d.Name)
	}
	for _, o := range d.Options {
		if o.Name == "" || o.Type == "" || o.Doc == "" {
			return fmt.Errorf("%s: option %q lacks a name, type or documentation", d.Name, o.Name)
		}
	}
	return nil
}

// names returns the names of the options.
func (d Driver) names() []string {
	var out []string
	for _, o := range d.Options {
		out = append(out, o.Name)
	}
	return out
}

// drivers is written at program start only.
var drivers = map[string]Driver{}

// Register registers a login service and its options. It is called from init, and panics if the
// declaration is invalid.
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
			return nil, fmt.Errorf("unknown option %s%s", name, d.ownOptions())
		}
	}
	return d.Open(cf)
}

// ownOptions returns the names of the options in external_auth.
func (d Driver) ownOptions() string {
	own := slices.DeleteFunc(d.names(), func(o string) bool { return !strings.HasPrefix(o, "^") })
	if len(own) == 0 {
		return ": it has none there"
	}
	return "; use " + strings.Join(own, ", ")
}
