package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Syndic holds the options of a syndic: a master for the minions below, and a minion of the
// masters above.
type Syndic struct {
	// Local are the options of the local master, as LoadMaster returns them.
	Local *Master
	// Upper are the options for the masters above, as a minion's: id, pki_dir and sign-in
	// options from the minion file; master, master_port, publish_port, master_finger, cachedir,
	// log_file, pidfile and user from the master file.
	Upper *Minion
}

// LoadSyndic reads dir/master and dir/minion and merges them like Salt (Salt wire reference
// §9.2). It does not write minion_id.
func LoadSyndic(dir string) (*Syndic, []Warning, error) { return loadSyndic(dir, localHost) }

func loadSyndic(dir string, h host) (*Syndic, []Warning, error) {
	m, warnings, errM := loadMaster(dir, h)
	n, more, errN := loadUpper(dir, h, m)
	for _, w := range more {
		if w.File != "" || w.Kind != Missing {
			warnings = append(warnings, w)
		}
	}
	//mutant:syndic-master-default-is-reported
	if m != nil && m.Place("syndic_master") == (Place{}) {
		warnings = append(warnings, Warning{
			Place: Place{File: filepath.Join(dir, "master")}, Kind: Missing, Option: "syndic_master",
			Text: "option syndic_master is not set: the master above is looked for under Salt's default, " + strings.Join(m.SyndicMaster, ", ") + "; name it there",
		})
	}
	if err := errors.Join(errM, errN); err != nil {
		return nil, warnings, err
	}
	return mergeSyndic(m, n), warnings, nil
}

// loadUpper reads the minion file for the connection to the masters above. If only the master
// file has root_dir, it applies here too: a node has one root. Salt would put this connection's
// key under / then, so a node that has its key there keeps it.
func loadUpper(dir string, h host, m *Master) (*Minion, []Warning, error) {
	n, warnings, err := loadMinion(dir, h, false)
	if err != nil || m == nil || m.Place("root_dir") == (Place{}) || n.Place("root_dir") != (Place{}) {
		return n, warnings, err
	}
	//mutant:root-dir-of-the-master-file
	rooted, more, err := loadMinionIn(dir, h, false, m.RootDir)
	//mutant:node-key-outside-root-dir
	if err != nil || hasKey(rooted.PkiDir) || !hasKey(n.PkiDir) {
		return rooted, more, err
	}
	return n, append(warnings, Warning{
		Place: m.Place("root_dir"), Kind: Missing, Option: "root_dir",
		Text: fmt.Sprintf("option root_dir stands in the master file alone, and the key towards the masters above lies outside of it, in %s: it is used from there; "+
			"set root_dir in the minion file, too, or move the folder to %s", n.PkiDir, rooted.PkiDir),
	}), nil
}

// hasKey reports whether a directory has the private key of a minion.
func hasKey(pkiDir string) bool {
	_, err := os.Stat(filepath.Join(pkiDir, "minion.pem"))
	return err == nil
}

func mergeSyndic(m *Master, n *Minion) *Syndic {
	u := *n
	u.Master = m.SyndicMaster
	if m.SyndicMasterPort != 0 {
		u.MasterPort = m.SyndicMasterPort
	}
	// Salt would use the local master's publish_port for the master above; asking the master
	// above is always right.
	if m.SyndicMasterPublishPort != 0 {
		u.PublishPort = m.SyndicMasterPublishPort
	}
	u.MasterFinger = m.SyndicFinger
	u.LogLevel = m.LogLevel
	u.Cachedir = m.Cachedir
	u.LogFile, u.Pidfile = m.SyndicLogFile, m.SyndicPidfile
	u.User = n.User
	if m.Place("user") != (Place{}) && n.Place("user") == (Place{}) {
		u.User = m.User
	}
	if m.SyndicUser != "" {
		u.User = m.SyndicUser
	}
	return &Syndic{Local: m, Upper: &u}
}
