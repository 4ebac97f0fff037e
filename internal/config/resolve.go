package config

import (
	"net/url"
	"path/filepath"
	"strings"
)

// Resolve sets the paths that depend on others and places all paths under root_dir. Load calls
// it; call it again after changing Cachedir or RootDir of a DefaultMaster. It may be called
// twice.
func (m *Master) Resolve() {
	m.SockDir = shortSockDir(m.SockDir, m.Cachedir)
	// As in Salt, regardless of the file: its programs look there.
	m.TokenDir = filepath.Join(m.Cachedir, "tokens")
	m.SyndicDir = filepath.Join(m.Cachedir, "syndics")
	fill(&m.JobStoreFile, filepath.Join(m.Cachedir, "jobs.db"))
	m.under(&m.PkiDir, &m.Cachedir, &m.SockDir, &m.Pidfile, &m.TokenDir, &m.SyndicDir, &m.JobStoreFile,
		&m.AutosignFile, &m.AutorejectFile, &m.AutosignGrainsDir, &m.SyndicPidfile, &m.ApiPidfile)
	m.underUnlessURL(&m.LogFile, &m.SyndicLogFile, &m.ApiLogfile)
}

// Resolve puts the id into the paths of append_minionid_config_dirs and places all paths under
// root_dir. Load calls it.
func (m *Minion) Resolve() {
	for _, name := range m.AppendMinionidConfigDirs {
		switch name {
		case "pki_dir":
			m.PkiDir = withElement(m.PkiDir, m.ID)
		case "cachedir":
			m.Cachedir = withElement(m.Cachedir, m.ID)
		case "pidfile":
			dir, file := filepath.Split(m.Pidfile)
			m.Pidfile = filepath.Join(withElement(filepath.Clean(dir), filepath.Join("salt", m.ID)), file)
		}
	}
	m.SockDir = shortSockDir(m.SockDir, m.Cachedir)
	m.under(&m.PkiDir, &m.Cachedir, &m.SockDir, &m.Pidfile)
	m.underUnlessURL(&m.LogFile)
}

func fill(p *string, def string) {
	if *p == "" {
		*p = def
	}
}

func withElement(dir, last string) string {
	if strings.HasSuffix(filepath.ToSlash(dir), "/"+filepath.ToSlash(last)) {
		return dir
	}
	return filepath.Join(dir, last)
}

// shortSockDir avoids socket paths that are too long, like Salt.
func shortSockDir(sock, cache string) string {
	if len(sock) > len(cache)+10 {
		return filepath.Join(cache, ".salt-unix")
	}
	return sock
}

// under places paths below root_dir; paths already below it stay.
func (c *Common) under(paths ...*string) {
	root := filepath.Clean(c.RootDir)
	if !filepath.IsAbs(root) {
		if abs, err := filepath.Abs(root); err == nil {
			root = abs
		}
	}
	for _, p := range paths {
		if *p != "" {
			*p = placeUnder(root, *p)
		}
	}
}

// underUnlessURL is under, but skips syslog URLs such as file:///dev/log.
func (c *Common) underUnlessURL(paths ...*string) {
	for _, p := range paths {
		if u, err := url.Parse(strings.TrimPrefix(*p, filepath.VolumeName(*p))); err != nil || u.Scheme == "" {
			c.under(p)
		}
	}
}
