package config

import (
	"path/filepath"
	"time"
)

// MinionModules holds the options of execution modules.
type MinionModules struct {
	// Return is a list of returners that also get the results of jobs.
	Return []string `yaml:"return"`
	// CmdSafe controls whether commands of templates, states, slots and other functions run without a
	// shell, unless `python_shell` is set.
	CmdSafe bool `yaml:"cmd_safe" default:"true"`
	// CmdBlacklistGlob is a list of globs of command lines that jobs may not run.
	CmdBlacklistGlob []string `yaml:"cmd_blacklist_glob"`
	// CmdWhitelistGlob is a list of globs of the only command lines that jobs may run. Default: all.
	CmdWhitelistGlob []string `yaml:"cmd_whitelist_glob"`
	// UseMasterWhenLocal controls whether the master is asked even with `file_client: local`.
	UseMasterWhenLocal bool `yaml:"use_master_when_local" default:"false"`
	// BackupMode is where replaced files are kept.
	BackupMode string `yaml:"backup_mode" oneof:"minion master both" unknown:"default"`
	// Saltenv is the environment of state runs and events that name none.
	Saltenv string `yaml:"saltenv"`
	// Pillarenv is the pillar environment to request.
	Pillarenv string `yaml:"pillarenv"`
	// PillarenvFromSaltenv controls whether the pillar environment is the saltenv of the call.
	PillarenvFromSaltenv bool `yaml:"pillarenv_from_saltenv" default:"false"`
	// PillarRaiseOnMissing controls whether `pillar.get` fails for a missing key.
	PillarRaiseOnMissing bool `yaml:"pillar_raise_on_missing" default:"false"`
	// PillarMask controls whether pillar functions show `**********` instead of texts, as in Salt
	// 3008, unless called with `unmask=True`.
	PillarMask bool `yaml:"pillar_mask" default:"false"`
	// PillarMergeLists controls whether lists are joined when pillar is merged.
	PillarMergeLists bool `yaml:"pillar_merge_lists" default:"false"`
	// ExtensionModules is the directory of files synced by `saltutil.sync_*`. Executables in its
	// subdirectory `modules` are external modules, see docs/guide/external-modules.md. Default:
	// `cachedir/extmods`.
	ExtensionModules string `yaml:"extension_modules"`
	// ModuleDirs is a list of further directories like extension_modules, searched first.
	ModuleDirs []string `yaml:"module_dirs"`
	// ExternalModulesTimeout is the time limit for a call of an external module. Not in Salt.
	ExternalModulesTimeout time.Duration `yaml:"external_modules_timeout" unit:"s" default:"300" min:"1"`
	// CleanDynamicModules controls whether `saltutil.sync_*` removes synced files that the master no
	// longer has.
	CleanDynamicModules bool `yaml:"clean_dynamic_modules" default:"true"`
	// ExtmodWhitelist is a map, by kind, of the only modules that `saltutil.sync_*` syncs. Default:
	// all.
	ExtmodWhitelist map[string]any `yaml:"extmod_whitelist"`
	// ExtmodBlacklist is a map, by kind, of modules that `saltutil.sync_*` does not sync.
	ExtmodBlacklist map[string]any `yaml:"extmod_blacklist"`
}

// ExtmodsFolder returns the directory of files synced by saltutil.sync_*.
func (m *Minion) ExtmodsFolder() string {
	if m.ExtensionModules != "" {
		return m.ExtensionModules
	}
	return filepath.Join(m.Cachedir, "extmods")
}
