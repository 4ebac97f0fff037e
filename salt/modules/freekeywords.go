package modules

import (
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
)

// free are functions that take any keyword in Salt, and ignore those that they do not know:
// programs send them their own, such as metadata.
var free = strings.Fields(`
	cmd.run cmd.shell cmd.run_stdout cmd.run_stderr cmd.run_all cmd.retcode cmd.script cmd.script_retcode cmd.exec_code cmd.exec_code_all
	cmd.run_bg cmd.run_chroot cmd.powershell cmd.powershell_all
	pillar.items pillar.item pillar.obfuscate grains.item file.check_managed file.check_managed_changes file.get_managed file.manage_file
	pkg.install pkg.remove pkg.purge pkg.upgrade pkg.hold pkg.unhold pkg.list_repos pkg.get_repo pkg.mod_repo pkg.del_repo
	pkg.info_installed service.enable service.disable service.enabled saltutil.refresh_grains cp.get_file cp.get_template cp.get_dir
	network.connect disk.tune sys.list_functions ssh.set_auth_key_from_file http.query
	schedule.purge schedule.delete schedule.build_schedule_item schedule.add schedule.modify schedule.enable_job schedule.disable_job
	schedule.save schedule.enable schedule.disable schedule.move schedule.copy schedule.postpone_job schedule.skip_job
`)

// acted are keywords that such functions act on in Salt. Where a function here does not have
// one, ignoring it would do something else than was asked for.
var acted = strings.Fields(`
	template saltenv encoded_cmd pillarenv pillar_override pillar pillar_enc use_vt bg raise_err password chroot
	refresh fromrepo skip_verify debconf sources pkgs ignore_epoch only_upgrade version versions downloadonly
	no_block unmask unmask_runtime dest makedirs gzip context source source_hash user group mode
`)

// ignored reports whether a function ignores a keyword that it does not have. One that looks like
// a misspelt argument is refused.
func ignored(full string, fn Function, keyword string) bool {
	if !slices.Contains(free, full) || slices.Contains(acted, keyword) {
		return false
	}
	known := make([]string, 0, len(fn.Args)+len(acted))
	for _, a := range fn.Args {
		known = append(known, a.Name)
	}
	return config.Similar(keyword, append(known, acted...)) == ""
}
