package config

import (
	"path/filepath"
	"time"
)

// MinionModules holds what execution modules ask for.
type MinionModules struct {
	// Return names returners that also get the results of jobs. Default none.
	Return []string `yaml:"return"`
	// CmdSafe runs the commands of templates, states, slots and other functions
	// without a shell, unless `python_shell` says otherwise; False runs them in one.
	// Default true.
	CmdSafe bool `yaml:"cmd_safe" default:"true"`
	// CmdBlacklistGlob holds globs of command lines that jobs may not run. Default none.
	CmdBlacklistGlob []string `yaml:"cmd_blacklist_glob"`
	// CmdWhitelistGlob holds globs of the only ones they may run. Default none: all.
	CmdWhitelistGlob []string `yaml:"cmd_whitelist_glob"`
	// UseMasterWhenLocal asks the master even with file_client local. Default false.
	UseMasterWhenLocal bool `yaml:"use_master_when_local" default:"false"`
	// BackupMode says where replaced files are kept: minion, master, both. Default none.
	BackupMode string `yaml:"backup_mode" oneof:"minion master both" unknown:"default"`
	// Saltenv is the environment told to the master with events. Default none.
	Saltenv string `yaml:"saltenv"`
	// Pillarenv is the environment pillar is asked for. Default none.
	Pillarenv string `yaml:"pillarenv"`
	// PillarenvFromSaltenv takes it from the saltenv of a call. Default false.
	PillarenvFromSaltenv bool `yaml:"pillarenv_from_saltenv" default:"false"`
	// PillarRaiseOnMissing makes pillar.get fail for a key that is not
	// there. Default false.
	PillarRaiseOnMissing bool `yaml:"pillar_raise_on_missing" default:"false"`
	// PillarMask shows ********** in place of texts that pillar functions return to a user, as
	// Salt 3008 does, unless a call says unmask=True. Default false.
	PillarMask bool `yaml:"pillar_mask" default:"false"`
	// PillarMergeLists joins lists when pillar is merged. Default false.
	PillarMergeLists bool `yaml:"pillar_merge_lists" default:"false"`
	// ExtensionModules is the folder of what saltutil.sync_* fetch; in its folder modules,
	// executables that speak the exchange of external modules are modules. Default: extmods
	// in cachedir.
	ExtensionModules string `yaml:"extension_modules"`
	// ModuleDirs are further folders like that, which are looked at first. Default none.
	ModuleDirs []string `yaml:"module_dirs"`
	// ExternalModulesTimeout is how long a call of an external module may take, in
	// seconds. Default 300.
	ExternalModulesTimeout time.Duration `yaml:"external_modules_timeout" unit:"s" default:"300" min:"1"`
	// CleanDynamicModules removes what saltutil.sync_* once fetched and the master does not
	// have any more. Default true.
	CleanDynamicModules bool `yaml:"clean_dynamic_modules" default:"true"`
	// ExtmodWhitelist names, by kind, the only modules that saltutil.sync_* fetch. Default
	// none: all.
	ExtmodWhitelist map[string]any `yaml:"extmod_whitelist"`
	// ExtmodBlacklist names, by kind, modules that saltutil.sync_* do not fetch. Default none.
	ExtmodBlacklist map[string]any `yaml:"extmod_blacklist"`
}

// ExtmodsFolder is where saltutil.sync_* put what they fetch.
func (m *Minion) ExtmodsFolder() string {
	if m.ExtensionModules != "" {
		return m.ExtensionModules
	}
	return filepath.Join(m.Cachedir, "extmods")
}
