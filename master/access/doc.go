// Package access decides who of this machine may publish what: by the keys that local users
// prove themselves with ([Users]), and by publisher_acl, publisher_acl_blacklist and sudo_acl
// (Salt wire reference §10.1, §12). [Control] is both together.
//
// A job is taken apart into its calls, each a function with its arguments. A
// sender is held to the rules of all entries that mean it, or to those that a
// master above passed on; each call has to fit a rule, on all minions that the
// job means. What cannot be understood, in the configuration or in what came from
// above, allows nothing.
package access
