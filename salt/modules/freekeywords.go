package modules

import (
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
)

// free are functions that accept any keyword in Salt and ignore unknown ones: programs send
// their own, such as metadata.
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

// acted are keywords with an effect on such functions in Salt. If a function here lacks
// one, ignoring it would change the meaning of the call.
var acted = strings.Fields(`
	template saltenv encoded_cmd pillarenv pillar_override pillar pillar_enc use_vt bg raise_err password chroot
	refresh fromrepo skip_verify debconf sources pkgs ignore_epoch only_upgrade version versions downloadonly
	no_block unmask unmask_runtime dest makedirs gzip context source source_hash user group mode
`)

// ignored reports whether a function ignores an unknown keyword. It does not ignore a
// misspelt argument.
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
