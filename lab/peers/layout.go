package peers

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// MasterConf lays out a master's configuration at an address: the same file for ours and
// for Salt's, which is a case in itself. Options are lines of YAML. It begins to record the
// events of the master.
func (n *Node) MasterConf(addr string, options ...string) error {
	n.Addr = addr
	if n.Events == nil {
		n.Events = Record(filepath.Join(n.Dir, "sock"))
	}
	return n.write("master", "interface: "+n.Addr+`
pki_dir: DIR/pki
cachedir: DIR/cache
extension_modules: DIR/extmods
sock_dir: DIR/sock
log_file: DIR/log/master
key_logfile: DIR/log/key
log_level_logfile: info
pidfile: DIR/master.pid
syndic_pidfile: DIR/syndic.pid
syndic_log_file: DIR/log/syndic
syndic_dir: DIR/cache/syndics
worker_threads: 5
file_roots: {base: [DIR/srv]}
pillar_roots: {base: [DIR/pillar]}
minimum_auth_version: 0
`, options)
}

// MinionConf lays out the configuration of a minion or of a syndic's upper side. master is
// an address or a list of them in YAML.
func (n *Node) MinionConf(master string, options ...string) error {
	return n.write("minion", "master: "+master+`
pki_dir: DIR/minion-pki
cachedir: DIR/minion-cache
extension_modules: DIR/minion-extmods
sock_dir: DIR/minion-sock
log_file: DIR/log/minion
log_level_logfile: info
pidfile: DIR/minion.pid
acceptance_wait_time: 1
random_reauth_delay: 1
recon_default: 100
recon_max: 1000
auth_timeout: 5
mine_enabled: False
enable_fqdns_grains: False
enable_gpu_grains: False
`, options)
}

func (n *Node) write(name, text string, more []string) error {
	u, err := user.Current()
	if err != nil {
		return fmt.Errorf("configuration of %s: %w", n.ID, err)
	}
	text = "id: " + n.ID + "\nuser: " + u.Username + "\n" + strings.ReplaceAll(text, "DIR", n.Dir) + strings.Join(more, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(n.Conf, name), []byte(text), 0o600); err != nil {
		return fmt.Errorf("configuration of %s: %w", n.ID, err)
	}
	return nil
}
