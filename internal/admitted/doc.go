// Package admitted stores an operator's decisions: which accepted key may be a home for others'
// minions and vouch for them (docs/design/trust.md), and which is that of another top of the cluster
// (docs/guide/operate/two-tops.md).
//
// An admission is a file named like the id in the directory [Dir] of the master's pki_dir. It
// holds the fingerprint of the admitted key: another key of the same id is not admitted. Salt's
// programs ignore the directory. `mom node admit` and [Admit] write the file, [Withdraw]
// removes it, and a master removes it together with the key. Nothing that a peer sends ever
// creates one.
package admitted
