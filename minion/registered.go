package minion

// What enters the registries by itself.
import _ "github.com/momtree/mom/salt/modules/state" // the module state, and with it the state functions
