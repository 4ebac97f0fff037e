package functions

// hasOwners reports whether files have a user, a group and a mode of Unix here. Windows has
// access lists; user, group and mode of a state have no effect.
const hasOwners = false
