package keys

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/wire"
)

// maxAutosignGrains bounds the files opened for one sign-in.
const maxAutosignGrains = 64

// grainsMatch reports whether a grain the minion sent stands as a line in the
// file of the grain's name below dir. # begins a comment line. The values are
// compared as Python prints them; lists and maps never match.
func (p *Policy) grainsMatch(grains *wire.Map) bool {
	if p.AutosignGrainsDir == "" || grains.Len() == 0 {
		return false
	}
	n, found := 0, false
	grains.Range(func(key, val any) bool {
		if n++; n > maxAutosignGrains {
			p.Log.Warn("more autosign grains than are looked at", "sent", grains.Len(), "limit", maxAutosignGrains)
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
		p.Log.Warn("autosign grains file is ignored", "path", path, "error", err)
		return false
	}
	if info.Size() > maxSigningFile {
		p.Log.Warn("autosign grains file is ignored: it is too large", "path", path, "bytes", info.Size(), "limit", maxSigningFile)
		return false
	}
	b, err := os.ReadFile(path)
	if err != nil {
		p.Log.Warn("autosign grains file cannot be read", "path", path, "error", err)
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

// scalarText is str() of a Python value that is neither text nor collection.
func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "None", true
	case bool:
		if v {
			return "True", true
		}
		return "False", true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case float64:
		return floatText(v), true
	}
	return "", false
}

func floatText(f float64) string {
	switch a := math.Abs(f); {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case a != 0 && (a < 1e-4 || a >= 1e16):
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
