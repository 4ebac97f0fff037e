package config

// Effects maps frequently missed options of [NotYet] to what does not happen without them. The
// text is part of the warning at the start.
var Effects = map[string]string{
	"beacons":       "no beacon runs",
	"engines":       "no engine runs",
	"hgfs_remotes":  noFiles,
	"svnfs_remotes": noFiles,
}

const (
	noFiles = "minions get none of these files"
)

// fileSources are the options for further sources of files.
var fileSources = []string{"hgfs_remotes", "svnfs_remotes"}

// UnservedFiles returns the options of this configuration for sources of files or states that
// this version does not support.
func (m *Master) UnservedFiles() []string { return m.given(fileSources) }

// given returns the names that the files set to a value.
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
