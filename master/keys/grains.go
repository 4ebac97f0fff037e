package keys

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// maxAutosignGrains bounds the files opened for one sign-in.
const maxAutosignGrains = 64

// grainsMatch reports whether a grain of the minion is a line of the file of that name below dir.
// Lines that start with # are comments. Values are compared as Python prints them; lists and maps
// never match.
func (p *Policy) grainsMatch(grains *wire.Map) bool {
	if p.AutosignGrainsDir == "" || grains.Len() == 0 {
		return false
	}
	n, found := 0, false
	grains.Range(func(key, val any) bool {
		if n++; n > maxAutosignGrains {
			p.Log.Warn("too many autosign grains, ignoring the rest", "sent", grains.Len(), "limit", maxAutosignGrains)
			return false
		}
		name, ok := key.(string)
		if !ok || ValidID(name) != nil { // a grain's name is a file name, as an id is
			return true
		}
		text, ok := val.(string)
		if !ok {
			if text, ok = scalarText(val); !ok {
				return true
			}
		}
		found = p.grainFileHas(filepath.Join(p.AutosignGrainsDir, name), text)
		return !found
	})
	return found
}

func (p *Policy) grainFileHas(path, value string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if err := p.trusted(info); err != nil {
		p.Log.Warn("autosign grains file ignored", "path", path, "err", err)
		return false
	}
	if info.Size() > maxSigningFile {
		p.Log.Warn("autosign grains file ignored, too large", "path", path, "bytes", info.Size(), "limit", maxSigningFile)
		return false
	}
	b, err := os.ReadFile(path)
	if err != nil {
		p.Log.Warn("autosign grains file unreadable", "path", path, "err", err)
		return false
	}
	for line := range bytes.Lines(b) {
		text := strings.TrimSpace(string(line))
		if text != "" && text[0] != '#' && text == value {
			return true
		}
	}
	return false
}

// scalarText returns str() of a Python value that is neither a text nor a collection.
func scalarText(v any) (string, bool) {
	switch v.(type) {
	case nil, bool, int64, uint64, float64:
		return pyfmt.Str(v), true
	}
	return "", false
}
