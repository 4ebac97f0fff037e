package minion

// Packages that register modules and functions when they are imported.
import _ "github.com/momtree/mom/salt/modules/state" // execution modules and state functions
