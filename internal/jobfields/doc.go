// Package jobfields writes and reads the fields that mom adds to a publication.
//
// [Sign] signs what a job does with the private key of the top, so that minions can check that a
// job comes from the top unchanged. Nodes pass the signature on and cannot make one.
// docs/design/trust.md specifies the bytes that are signed.
//
// [Narrow] replaces the target of a job by a list of minions. Where a rule with a target allowed a
// job, minions get the ids that were checked against the rule: a minion that read the target
// differently would run what the rule does not allow. The target stays in [TargetField]: nodes below
// resolve it for their own minions, and the signature covers it.
package jobfields
