package client

import (
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// ShownConfig returns the options in the file master in dir together with the defaults, in the
// form of a file. Secrets are replaced by asterisks.
func ShownConfig(dir string) (any, error) {
	conf, _, err := config.LoadMaster(dir)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return wire.Normal(conf.Shown()), nil
}

// Logins returns the eauth systems of the master's configuration, sorted; nil if the
// configuration is unknown or names none.
func (c *Client) Logins() []string {
	if c.o.conf == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(c.o.conf.ExternalAuth))
}
