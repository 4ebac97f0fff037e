//go:build unix

package functions

// hasOwners reports whether files have a user, a group and a mode of Unix here. Elsewhere these
// options of a state have no effect.
const hasOwners = true
