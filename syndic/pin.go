package syndic

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/durable"
)

// pinFile returns the name of the file in pki_dir that pins a parent's key. Parents may have
// different keys, so with several parents each has its own file. It starts as a copy of the file
// that Salt uses for all of them.
func pinFile(pkiDir, host string, several bool) (string, error) {
	const shared = "syndic_master.pub"
	if !several {
		return shared, nil
	}
	name := channel.PinOfParent(host)
	path := filepath.Join(pkiDir, name)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return name, err
	}
	pem, err := os.ReadFile(filepath.Join(pkiDir, shared))
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil
	}
	if err == nil {
		err = durable.WriteFile(path, pem, 0o644)
	}
	if err != nil {
		return "", fmt.Errorf("pin key of parent: %w", err)
	}
	return name, nil
}

// sharesHost reports whether another entry of syndic_master names the same host: two masters on one
// host have different keys.
func sharesHost(upper *config.Minion, name, host string) bool {
	for _, other := range upper.Master {
		h, _, err := channel.SplitMaster(other, upper.MasterPort)
		if err == nil && other != name && h == host {
			return true
		}
	}
	return false
}
