package minion

// What enters the registries by itself.
import _ "github.com/momtree/mom/minion/staterun" // the module state, and with it the state functions
