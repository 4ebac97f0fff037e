package minion

// Packages that register modules and functions when they are imported.
import _ "github.com/momtree/mom/salt/modules/all" // execution modules and state functions
