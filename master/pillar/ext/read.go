package ext

import (
	"bytes"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/yaml11"
)

func readYAML(b []byte) (any, error) { return yaml11.Read(b) }

// readJSON reads JSON; nothing is no value, as it is with YAML.
func readJSON(b []byte) (any, error) {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, nil
	}
	raw, err := wire.FromJSON(b)
	if err != nil {
		return nil, err
	}
	return wire.Decode(raw)
}
