package config

import "time"

// MasterPillar holds how the master compiles pillar, see docs/guide/pillar.md.
type MasterPillar struct {
	// PillarRoots is a map of pillar environments to their directories, in search order. Globs are
	// expanded at the start. `__env__` stands for the requested environment. Default: `{base:
	// [/srv/pillar, /srv/spm/pillar]}`.
	PillarRoots map[string]any `yaml:"pillar_roots"`
	// Pillarenv is the pillar environment of minions that request none: only its top file counts.
	// Default: the top files of all environments.
	Pillarenv string `yaml:"pillarenv"`
	// PillarenvFromSaltenv controls whether a request without pillarenv uses its saltenv.
	PillarenvFromSaltenv bool `yaml:"pillarenv_from_saltenv" default:"false"`
	// PillarSourceMergingStrategy is how pillars are merged: `recurse` and `smart` merge maps
	// recursively, `overwrite` and `aggregate` replace top-level keys, `none` uses a single
	// environment.
	PillarSourceMergingStrategy string `yaml:"pillar_source_merging_strategy" default:"smart" oneof:"smart recurse aggregate overwrite none" unknown:"default"`
	// PillarMergeLists controls whether lists are joined when maps are merged.
	PillarMergeLists bool `yaml:"pillar_merge_lists" default:"false"`
	// PillarIncludesOverrideSls controls whether included files override the including file.
	PillarIncludesOverrideSls bool `yaml:"pillar_includes_override_sls" default:"false"`
	// PillarSafeRenderError controls whether the text of a rendering error is hidden from minions. It
	// is always logged.
	PillarSafeRenderError bool `yaml:"pillar_safe_render_error" default:"true"`
	// PillarOpts controls whether each pillar has the master's options, secrets masked, under the key
	// `master`.
	PillarOpts bool `yaml:"pillar_opts" default:"false"`
	// PillarTimeout is the time limit for one pillar, not counting the wait for a worker. Not in Salt.
	PillarTimeout time.Duration `yaml:"pillar_timeout" unit:"s" default:"60" min:"1" max:"110"`
	// PillarWorkers is the number of pillars compiled at once. `0` means twice the number of
	// processors, at least 4. Not in Salt.
	PillarWorkers int `yaml:"pillar_workers" default:"0" min:"0" max:"1024"`

	// PillarCache controls whether compiled pillars are cached for pillar_cache_ttl even if their
	// sources change. Otherwise a pillar is cached until a source changes.
	PillarCache bool `yaml:"pillar_cache" default:"false"`
	// PillarCacheTtl is the lifetime of a pillar with pillar_cache.
	PillarCacheTtl time.Duration `yaml:"pillar_cache_ttl" unit:"s" default:"3600" min:"0"`
	// PillarCacheBackend is the storage of pillar_cache: `disk` (`cachedir/pillar_cache`), or
	// `memory`, which a restart empties.
	PillarCacheBackend string `yaml:"pillar_cache_backend" default:"disk" oneof:"disk memory"`

	// ExtPillar is a list of further pillar sources: `{NAME: ARGUMENTS}`.
	ExtPillar any `yaml:"ext_pillar"`
	// ExtPillarFirst controls whether ext_pillar runs before the files, which then see its result.
	ExtPillarFirst bool `yaml:"ext_pillar_first" default:"false"`
	// OnDemandExtPillar is a list of the sources that minions may request with their own arguments
	// (`pillar.ext`). Only `nodegroups` is supported. Default: `libvirt`, `virtkey`, both without
	// effect.
	OnDemandExtPillar []string `yaml:"on_demand_ext_pillar"`

	// DecryptPillar is a list of the encrypted pillar keys: `KEY:KEY` or `{KEY:KEY: RENDERER}`.
	DecryptPillar any `yaml:"decrypt_pillar"`
	// DecryptPillarDelimiter is the separator of nested keys in decrypt_pillar.
	DecryptPillarDelimiter string `yaml:"decrypt_pillar_delimiter" default:":"`
	// DecryptPillarDefault is the renderer for entries of decrypt_pillar without one.
	DecryptPillarDefault string `yaml:"decrypt_pillar_default" default:"gpg"`
	// DecryptPillarRenderers is a list of the renderers that entries of decrypt_pillar may name.
	DecryptPillarRenderers []string `yaml:"decrypt_pillar_renderers" default:"gpg"`

	// PillarUpstream controls whether the minions of a syndic node get the pillar that the master
	// above compiles for them, instead of one from pillar_roots and ext_pillar of the node. Not in
	// Salt.
	PillarUpstream bool `yaml:"pillar_upstream" default:"false"`
}

// defaultPillarRoots is Salt's default.
var defaultPillarRoots = map[string][]string{"base": {"/srv/pillar", "/srv/spm/pillar"}}

// PillarFolders reads pillar_roots and expands its globs.
func (m *MasterPillar) PillarFolders() (map[string][]string, error) {
	return ReadRoots("pillar_roots", m.PillarRoots, defaultPillarRoots)
}
