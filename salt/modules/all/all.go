// Package all registers every execution module and state function. Import it for its side
// effects.
package all

import (
	_ "github.com/momtree/mom/salt/modules/dnsutil"
	_ "github.com/momtree/mom/salt/modules/environ"
	_ "github.com/momtree/mom/salt/modules/hashutil"
	_ "github.com/momtree/mom/salt/modules/key"
	_ "github.com/momtree/mom/salt/modules/random"
	_ "github.com/momtree/mom/salt/modules/state" // and the state functions
	_ "github.com/momtree/mom/salt/modules/temp"
)
