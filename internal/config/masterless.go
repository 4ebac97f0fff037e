package config

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

// MasterlessOptions are the options of a master that a minion without a master reads from its
// own file, because it compiles its pillar itself. As in Salt, they have no effect on a minion
// that has a master.
var MasterlessOptions = []string{
	"decrypt_pillar", "decrypt_pillar_default", "decrypt_pillar_delimiter", "decrypt_pillar_renderers", "ext_pillar", "ext_pillar_first",
	"git_pillar_base", "git_pillar_branch", "git_pillar_env", "git_pillar_fallback", "git_pillar_includes", "git_pillar_insecure_auth",
	"git_pillar_passphrase", "git_pillar_password", "git_pillar_privkey", "git_pillar_pubkey", "git_pillar_refspecs", "git_pillar_root",
	"git_pillar_ssl_verify", "git_pillar_user", "gpg_keydir", "pillar_includes_override_sls", "pillar_merge_lists", "pillar_opts",
	"pillar_roots", "pillar_safe_render_error", "pillar_source_merging_strategy",
}

// sharedWithPillar are the options of a minion that the compiler of its pillar reads too.
var sharedWithPillar = []string{
	"allow_undefined", "file_roots", "hash_type", "jinja_env", "jinja_sls_env", "nodegroups", "pillarenv", "pillarenv_from_saltenv", "root_dir",
}

// masterless reports whether a minion reads an option of a master.
func masterless(name string) bool { return slices.Contains(MasterlessOptions, name) }

// SetRoots replaces file_roots and pillar_roots by directories of the environment base, if any
// are given.
func (m *Minion) SetRoots(files, pillar []string) {
	if len(files) > 0 {
		m.FileRoots = map[string]any{"base": wire.AnyList(files)}
		m.Raw["file_roots"] = m.FileRoots
	}
	if len(pillar) > 0 {
		m.Raw["pillar_roots"] = map[string]any{"base": wire.AnyList(pillar)}
		delete(m.ordered, "pillar_roots")
	}
}

// PillarMaster returns the options with which a minion without a master compiles its own
// pillar: those of its file, and a master's defaults for the rest.
func (m *Minion) PillarMaster() (*Master, error) {
	out := DefaultMaster()
	out.source = m.source
	v := reflect.ValueOf(out).Elem()
	for _, name := range slices.Concat(MasterlessOptions, sharedWithPillar) {
		o, known := masterTable()[name]
		raw, set := m.Raw[name]
		if !known || !set || raw == nil {
			continue
		}
		if _, err := o.assign(v.FieldByIndex(o.index), raw, pyText(raw)); err != nil {
			return nil, &Fault{Place: m.places[name], Option: name, Text: err.Error()}
		}
		o.replaceUnknown(v.FieldByIndex(o.index))
	}
	out.ID, out.Cachedir, out.RootDir, out.MySQL = m.ID, m.Cachedir, m.RootDir, m.MySQL
	if err := out.Validate(); err != nil {
		return nil, fmt.Errorf("options of a minion's own pillar: %w", err)
	}
	return out, nil
}
