package config

import "time"

// MasterPillar says what pillar minions get, see docs/guide/pillar.md.
type MasterPillar struct {
	// PillarRoots are the folders of each pillar environment, searched in order; patterns of
	// file names are expanded at the start. The environment __env__ stands for the one that
	// is asked for. Default {base: [/srv/pillar, /srv/spm/pillar]}.
	PillarRoots map[string]any `yaml:"pillar_roots"`
	// Pillarenv is the pillar environment of minions that do not name one: only its top
	// file counts. Default none: the top files of all environments.
	Pillarenv string `yaml:"pillarenv"`
	// PillarenvFromSaltenv takes the saltenv of a request where it names no pillarenv.
	// Default false.
	PillarenvFromSaltenv bool `yaml:"pillarenv_from_saltenv" default:"false"`
	// PillarSourceMergingStrategy is how pillars are merged: recurse and smart merge maps
	// within each other, overwrite and aggregate replace whole keys at the top, none takes
	// one environment alone. Default smart.
	PillarSourceMergingStrategy string `yaml:"pillar_source_merging_strategy" default:"smart" oneof:"smart recurse aggregate overwrite none" unknown:"default"`
	// PillarMergeLists joins lists where maps are merged. Default false.
	PillarMergeLists bool `yaml:"pillar_merge_lists" default:"false"`
	// PillarIncludesOverrideSls lets included files win over the file that includes them.
	// Default false.
	PillarIncludesOverrideSls bool `yaml:"pillar_includes_override_sls" default:"false"`
	// PillarSafeRenderError keeps the text of a file that could not be rendered from
	// minions; the log has it. Default true.
	PillarSafeRenderError bool `yaml:"pillar_safe_render_error" default:"true"`
	// PillarOpts puts the options of the master, secrets masked, into each pillar under the
	// key master. Default false.
	PillarOpts bool `yaml:"pillar_opts" default:"false"`
	// PillarTimeout is how long one pillar may take, waiting for its turn not counted, in
	// seconds. Ours. Default 60.
	PillarTimeout time.Duration `yaml:"pillar_timeout" unit:"s" default:"60" min:"1" max:"110"`
	// PillarWorkers is how many pillars are compiled at once; the others wait. Ours.
	// Default 0: twice as many as there are processors, at least 4.
	PillarWorkers int `yaml:"pillar_workers" default:"0" min:"0" max:"1024"`

	// PillarCache keeps compiled pillars for pillar_cache_ttl, whatever changes meanwhile.
	// Without it a pillar is kept only as long as nothing it came from has changed.
	// Default false.
	PillarCache bool `yaml:"pillar_cache" default:"false"`
	// PillarCacheTtl is how long, in seconds. Default 3600.
	PillarCacheTtl time.Duration `yaml:"pillar_cache_ttl" unit:"s" default:"3600" min:"0"`
	// PillarCacheBackend is where: disk (cachedir/pillar_cache) outlives a restart, memory
	// does not. Default disk.
	PillarCacheBackend string `yaml:"pillar_cache_backend" default:"disk" oneof:"disk memory"`

	// ExtPillar are further sources of pillar: a list of {NAME: ARGUMENTS}. Default none.
	ExtPillar any `yaml:"ext_pillar"`
	// ExtPillarFirst asks them before the files, which then see their pillar. Default false.
	ExtPillarFirst bool `yaml:"ext_pillar_first" default:"false"`
	// OnDemandExtPillar are the sources that minions may ask for with arguments of their
	// own (pillar.ext). Of those here only nodegroups can be named. Default libvirt,
	// virtkey, which this master does not have.
	OnDemandExtPillar []string `yaml:"on_demand_ext_pillar"`

	// DecryptPillar are the keys of the pillar that are encrypted: a list of KEY:KEY or of
	// {KEY:KEY: RENDERER}. Default none.
	DecryptPillar any `yaml:"decrypt_pillar"`
	// DecryptPillarDelimiter stands between the keys. Default ":".
	DecryptPillarDelimiter string `yaml:"decrypt_pillar_delimiter" default:":"`
	// DecryptPillarDefault is the renderer where none is named. Default gpg.
	DecryptPillarDefault string `yaml:"decrypt_pillar_default" default:"gpg"`
	// DecryptPillarRenderers are those that may be named. Default gpg.
	DecryptPillarRenderers []string `yaml:"decrypt_pillar_renderers" default:"gpg"`

	// PillarUpstream gives the minions of a syndic node the pillar that the master above
	// compiles for them; pillar_roots and ext_pillar of the node are not used. Ours.
	// Default false.
	PillarUpstream bool `yaml:"pillar_upstream" default:"false"`
}

// defaultPillarRoots are Salt's.
var defaultPillarRoots = map[string][]string{"base": {"/srv/pillar", "/srv/spm/pillar"}}

// PillarFolders reads pillar_roots, what is written as patterns expanded.
func (m *MasterPillar) PillarFolders() (map[string][]string, error) {
	return ReadRoots("pillar_roots", m.PillarRoots, defaultPillarRoots)
}
