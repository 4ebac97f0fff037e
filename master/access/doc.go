// Package access decides who may do what at a master: by the keys of local users ([Users]), by
// publisher_acl, publisher_acl_blacklist and sudo_acl ([List]), and by external_auth for users of
// login services ([External]). [Control] combines them; docs/guide/access.md is the guide for
// operators.
//
// A job consists of calls, each a function with its arguments. The rules of all entries that match
// the sender apply, or those sent by a master above. Each call must match a rule on all minions of
// the job. Invalid rules, in the configuration or from above, allow nothing.
//
//	rule.go      the forms of rules
//	judge.go     rules against calls, each answer with its reasons (package verdict)
//	reach.go     the target of a rule against the minions of a job in the whole tree
//	explain.go   explanations for users and operators
//	audit.go     events that record requests and their senders
package access
