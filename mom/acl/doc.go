// Package acl is the command mom acl: why a user may do something at the master of this
// machine, or may not.
package acl
