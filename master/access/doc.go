// Package access decides who may do what at a master: by the keys that local users prove
// themselves with ([Users]), by publisher_acl, publisher_acl_blacklist and sudo_acl
// ([List]), and by external_auth for users of login services ([External]; Salt wire
// reference §10.1, §12). [Control] is all of it, docs/guide/access.md says it for operators.
//
// A job is taken apart into its calls, each a function with its arguments. A sender is
// held to the rules of all entries that mean it, or to those that a master above passed
// on; each call has to fit a rule, on all minions that the job means. What cannot be
// understood, in the configuration or in what came from above, allows nothing.
//
//	rule.go      the forms of rules
//	judge.go     rules against calls, each answer with its reasons (package verdict)
//	reach.go     the target of a rule against whom a job means in the whole tree
//	explain.go   the answer to somebody who asks why
//	audit.go     the events that tell who asked for what
package access
