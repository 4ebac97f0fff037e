// Package jobsig lets minions check that a job comes from the top of the tree
// as it is. The top signs what a job does with its private key; the nodes in
// between pass the signature on and cannot make one. docs/design/trust.md specifies the
// bytes that are signed.
package jobsig
