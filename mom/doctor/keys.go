package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/internal/zmtp"
)

const areaKeys = "keys"

// lookKeys counts keys, and compares them with the limit of open files.
func lookKeys(p *patient) {
	for _, name := range []string{"master.pem", "master.pub"} {
		if _, err := os.Stat(filepath.Join(p.conf.PkiDir, name)); err != nil {
			p.differs(areaKeys, filepath.Join(p.conf.PkiDir, name), "run the doctor as the user of the master, at its machine; without the pair each minion would refuse the master",
				"the key pair of the master cannot be read: %v", err)
		}
	}
	count := map[string]int{}
	for _, folder := range []string{"minions", "minions_pre", "minions_rejected", "minions_denied"} {
		files, err := os.ReadDir(filepath.Join(p.conf.PkiDir, folder))
		if err != nil && !os.IsNotExist(err) {
			p.differs(areaKeys, filepath.Join(p.conf.PkiDir, folder), "", "%v", err)
		}
		for _, f := range files {
			if f.Type().IsRegular() && !strings.HasPrefix(f.Name(), ".") {
				count[folder]++
			}
		}
	}
	p.works(areaKeys, p.conf.PkiDir, "%d keys accepted, %d unaccepted, %d rejected, %d denied: used without change",
		count["minions"], count["minions_pre"], count["minions_rejected"], count["minions_denied"])
	p.descriptors(count["minions"])
}

// descriptors checks that all minions can connect.
func (p *patient) descriptors(keys int) {
	need := uint64(2*keys + zmtp.Reserve)
	have, hard, err := daemon.OpenFiles()
	switch {
	case err != nil:
		p.differs(areaKeys, "", "", "the limit of open files cannot be read: %v", err)
	case hard < need:
		p.fails(areaKeys, "", fmt.Sprintf("raise the hard limit to %d or more: with systemd LimitNOFILE=, in a shell ulimit -Hn", need+need/4),
			"%d minions need %d open files, and the hard limit is %d: some would be refused", keys, need, hard)
	default:
		p.works(areaKeys, "", "%d minions need %d open files; the limit is %d now, and may be raised to %d by the master itself", keys, need, have, hard)
	}
	if n := p.conf.MaxConnections; n > 0 && n < keys {
		p.fails(areaKeys, p.conf.Place("max_connections").String(), "raise it, or remove it", "max_connections=%d, and %d keys are accepted", n, keys)
	}
}
