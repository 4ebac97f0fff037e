package ext

import (
	"bytes"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

func readYAML(b []byte) (any, error) { return pyfmt.ReadYAML(b) }

// readJSON decodes JSON. Empty input is nil, as in YAML.
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
