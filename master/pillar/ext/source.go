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

// Source is a kind of source.
type Source struct {
	Name string
	// Doc describes the source and its arguments.
	Doc string
	// Check returns an error at the start if the arguments of an entry are invalid. nil: any are
	// valid.
	Check func(conf any) error
	// Load returns the pillar of one minion, which may be nil or empty. It must return when ctx
	// ends. nil: use Open.
	Load func(ctx context.Context, c *Call) (*value.Map, error)
	// Open returns an Entry that lives as long as the master. nil: use Load.
	Open func(conf any, o Opening) (Entry, error)
	// OnDemand lets minions choose the arguments, if on_demand_ext_pillar names the source. Set it
	// only if no arguments grant power over the master.
	OnDemand bool
	// Steady means that equal requests and configurations have equal results.
	Steady bool
}

// Opening holds the parameters of an [Entry].
type Opening struct {
	Config *config.Master
	Log    *slog.Logger
	// Shared is for data that entries of one configuration share, by a name they choose.
	Shared map[string]any
}

// Entry is a long-lived entry of the configuration.
type Entry interface {
	// Load is like that of [Source].
	Load(ctx context.Context, c *Call) (*value.Map, error)
	// Run does background work until ctx ends.
	Run(ctx context.Context)
}

// Files are SLS of a source, by environment, as in package pillar.
type Files interface {
	Envs() []string
	List(ctx context.Context, env string) ([]string, error)
	Open(ctx context.Context, env, path string) ([]byte, error)
	Stamp(env, path string) string
}

// Call is one call of a source.
type Call struct {
	ID string
	// Grains and Pillar are the known data of the minion. Pillar is that of the files, or with
	// ext_pillar_first that of the sources before. They must not be changed.
	Grains, Pillar *value.Map
	// Conf are the arguments: the value under the name of the source.
	Conf any
	// Saltenv and Pillarenv are the environments in use; may be "".
	Saltenv, Pillarenv string
	Config             *config.Master
	Host               Host
	Log                *slog.Logger
}

// Host is the interface of the compiler for sources.
type Host interface {
	// Match reports whether a target matches the minion.
	Match(tgt any, kind string) (bool, error)
	// Folders returns the directories of pillar_roots for an environment.
	Folders(env string) []string
	// Text renders a Jinja template of a directory, which may import from that directory.
	Text(ctx context.Context, dir, path string, source []byte, vars *value.Map) (string, error)
	// Render renders a string with the renderers of pipe; "" means those of the configuration.
	Render(ctx context.Context, source []byte, pipe string) (any, error)
	// Compile compiles the files of an environment for the minion and merges the result over a
	// pillar. Errors are added to those of the pillar.
	Compile(ctx context.Context, env string, f Files, over *value.Map) *value.Map
	// Options returns the options that templates see.
	Options() *value.Map
}

var sources = map[string]Source{}

// Register adds a source. It is called from init and panics if the name is taken.
func Register(s Source) {
	if _, twice := sources[s.Name]; twice || s.Name == "" || (s.Load == nil) == (s.Open == nil) || strings.TrimSpace(s.Doc) == "" {
		panic("pillar/ext: source " + s.Name + " is registered twice, or is not whole")
	}
	sources[s.Name] = s
}

// Lookup returns the source with this name.
func Lookup(name string) (Source, bool) {
	s, ok := sources[name]
	return s, ok
}

// Names returns the names of all sources, sorted.
func Names() []string { return slices.Sorted(maps.Keys(sources)) }

// others maps Salt's sources that are missing here to the alternative.
var others = map[string]string{
	"cmd_yamlex": "have the program print plain YAML and use cmd_yaml", "csvpillar": "have a program print it and use cmd_json",
	"extra_minion_data_in_pillar": "set grains at the minions",
	"hg_pillar":                   "check the repository out by a timer and name the folder in pillar_roots",
	"svn":                         "check the repository out by a timer and name the folder in pillar_roots",
}

// Unserved returns the error for a missing source, with the alternative.
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
