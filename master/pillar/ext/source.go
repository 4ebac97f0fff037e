package ext

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/value"
)

// Source is one kind of source.
type Source struct {
	Name string
	// Doc says what it gives and what its arguments are.
	Doc string
	// Check tells at the start what is wrong with the arguments of an entry. nil: nothing
	// can be.
	Check func(conf any) error
	// Load gives the pillar of one minion; nil or an empty map: there is none. It ends
	// with ctx. nil: Open has it.
	Load func(ctx context.Context, c *Call) (*value.Map, error)
	// Open makes what an entry of the configuration has while the master runs. nil: nothing.
	Open func(conf any, o Opening) (Entry, error)
	// OnDemand lets minions choose the arguments, if on_demand_ext_pillar names it. Only a
	// source whose arguments give no power over the master may have it.
	OnDemand bool
	// Steady says that the same request and configuration give the same.
	Steady bool
}

// Opening is what an [Entry] is made of.
type Opening struct {
	Config *config.Master
	Log    *slog.Logger
	// Shared is what the entries of one configuration have together, by a name of theirs.
	Shared map[string]any
}

// Entry is an entry of the configuration that lasts.
type Entry interface {
	// Load is that of [Source].
	Load(ctx context.Context, c *Call) (*value.Map, error)
	// Run does until ctx ends what has to be done by itself.
	Run(ctx context.Context)
}

// Files are SLS that a source has, by environment, as package pillar reads its own.
type Files interface {
	Envs() []string
	List(ctx context.Context, env string) ([]string, error)
	Open(ctx context.Context, env, path string) ([]byte, error)
	Stamp(env, path string) string
}

// Call is one question to a source.
type Call struct {
	ID string
	// Grains and Pillar are what is known of the minion: the pillar of the files, or with
	// ext_pillar_first that of the sources before. They must not be changed.
	Grains, Pillar *value.Map
	// Conf are the arguments: the value under the name of the source.
	Conf any
	// Saltenv and Pillarenv are the environments that count; "": none.
	Saltenv, Pillarenv string
	Config             *config.Master
	Host               Host
	Log                *slog.Logger
}

// Host is what the compiler does for sources.
type Host interface {
	// Match tells whether a target means the minion.
	Match(tgt any, kind string) (bool, error)
	// Folders are those of pillar_roots for an environment.
	Folders(env string) []string
	// Text renders a template of a folder by Jinja; what it imports is of that folder.
	Text(ctx context.Context, dir, path string, source []byte, vars *value.Map) (string, error)
	// Render renders a text by the renderers of pipe, "" for those of the configuration.
	Render(ctx context.Context, source []byte, pipe string) (any, error)
	// Compile gives what files of an environment have for the minion, merged over what was
	// there before. What is wrong with them stands among the errors of the pillar.
	Compile(ctx context.Context, env string, f Files, over *value.Map) *value.Map
	// Options are the options that templates see.
	Options() *value.Map
}

var sources = map[string]Source{}

// Register enters a source. It is called from init and panics when a name is taken.
func Register(s Source) {
	if _, twice := sources[s.Name]; twice || s.Name == "" || (s.Load == nil) == (s.Open == nil) || strings.TrimSpace(s.Doc) == "" {
		panic("pillar/ext: source " + s.Name + " is registered twice, or is not whole")
	}
	sources[s.Name] = s
}

// Lookup finds a source.
func Lookup(name string) (Source, bool) {
	s, ok := sources[name]
	return s, ok
}

// Names lists the sources.
func Names() []string { return slices.Sorted(maps.Keys(sources)) }

// others are Salt's own sources that are not here, with what to do.
var others = map[string]string{
	"cmd_yamlex": "have the program print plain YAML and use cmd_yaml", "csvpillar": "have a program print it and use cmd_json",
	"extra_minion_data_in_pillar": "set grains at the minions",
	"hg_pillar":                   "check the repository out by a timer and name the folder in pillar_roots",
	"svn":                         "check the repository out by a timer and name the folder in pillar_roots",
}

// Unserved says that a source of a name is not here, and what to do.
func Unserved(name string) error {
	what := others[name]
	if _, here := sources[name]; here {
		return nil
	}
	if what == "" {
		what = "have a program print its data as JSON and use cmd_json, or serve them by HTTP and use http_json"
	}
	return fmt.Errorf("Specified ext_pillar interface %s is unavailable: this master has %s; %s", name, strings.Join(Names(), ", "), what)
}
