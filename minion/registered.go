package minion

// What enters the registries by itself.
import _ "github.com/momtree/mom/salt/modules/all" // execution modules and state functions
