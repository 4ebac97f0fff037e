package grains

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// FileName is the file of static grains below the configuration folder. It is
// what the functions grains.setval and its kin change.
const FileName = "grains"

// ReadFile returns the static grains of a configuration folder, an empty map
// when there is no file.
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
	return nil, fmt.Errorf("read static grains of %s: the file holds no map of names to values", path)
}

// WriteFile replaces the static grains of a configuration folder. A reader sees
// the old file or the new one, and a crash leaves one of both.
func WriteFile(confDir string, g *value.Map) error {
	path := filepath.Join(confDir, FileName)
	mode := fs.FileMode(0o644)
	if st, err := os.Stat(path); err == nil {
		mode = st.Mode().Perm()
	}
	tmp, err := os.CreateTemp(confDir, "."+FileName+"-*")
	if err != nil {
		return fmt.Errorf("write static grains: %w", err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(pyfmt.YAML(g, pyfmt.YAMLForm{Ordered: true}))
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write static grains to %s: %w", path, err)
	}
	return nil
}
