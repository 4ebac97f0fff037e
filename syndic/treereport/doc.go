// Package treereport decides what a report of presence tells a master above of the tree
// below the node: nothing, what has changed since the revision that it has, or the whole,
// and whether in pieces. Who sends the reports fills each in and hands back the answer
// ([Report]); ../../topology/DESIGN.md says what is in them.
package treereport
