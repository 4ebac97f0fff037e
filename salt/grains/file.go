package grains

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// FileName is the file of static grains below the configuration folder. grains.setval and
// similar functions change it.
const FileName = "grains"

// ReadFile returns the static grains of a configuration folder, an empty map if the file
// does not exist.
func ReadFile(confDir string) (*value.Map, error) {
	path := filepath.Join(confDir, FileName)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return value.NewMap(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read static grains: %w", err)
	}
	v, err := pyfmt.ReadYAML(b)
	if err != nil {
		return nil, fmt.Errorf("read static grains of %s: %w", path, err)
	}
	switch v := v.(type) {
	case nil:
		return value.NewMap(), nil
	case *value.Map:
		return v, nil
	}
	return nil, fmt.Errorf("read static grains of %s: the file does not hold a map", path)
}

// WriteFile replaces the static grains of a configuration folder. Readers see the old file
// or the new one, also after a crash.
func WriteFile(confDir string, g *value.Map) error {
	path := filepath.Join(confDir, FileName)
	mode := fs.FileMode(0o644)
	if st, err := os.Stat(path); err == nil {
		mode = st.Mode().Perm()
	}
	if err := durable.WriteFile(path, []byte(pyfmt.YAML(g, pyfmt.YAMLForm{Ordered: true})), mode); err != nil {
		return fmt.Errorf("static grains: %w", err)
	}
	return nil
}
