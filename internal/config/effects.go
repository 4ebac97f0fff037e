package config

// Effects says, for the options of [NotYet] that people miss most, what does not
// happen because of it. It stands behind the warning at the start.
var Effects = map[string]string{
	"beacons":       "no beacon runs",
	"engines":       "no engine runs",
	"hgfs_remotes":  noFiles,
	"svnfs_remotes": noFiles,
}

const (
	noFiles = "minions get none of these files"
)

// fileSources are the options that say where files come from.
var fileSources = []string{"hgfs_remotes", "svnfs_remotes"}

// UnservedFiles names the options of this configuration that ask for sources of files or
// states that this version does not have.
func (m *Master) UnservedFiles() []string { return m.given(fileSources) }

// given are those of the options that the files set to something.
func (m *Master) given(names []string) []string {
	var out []string
	for _, name := range names {
		switch v := m.Raw[name].(type) {
		case nil, bool:
			continue
		case map[string]any:
			if len(v) == 0 {
				continue
			}
		case []any:
			if len(v) == 0 {
				continue
			}
		}
		out = append(out, name)
	}
	return out
}
