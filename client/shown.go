package client

import (
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// ShownConfig gives the options of the file master in dir with the defaults, as a file holds
// them. Secrets are asterisks.
func ShownConfig(dir string) (any, error) {
	conf, _, err := config.LoadMaster(dir)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return wire.Normal(conf.Shown()), nil
}

// Logins are the login services that the master's configuration names, sorted; nil where the
// configuration is not known or names none.
func (c *Client) Logins() []string {
	if c.o.conf == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(c.o.conf.ExternalAuth))
}
