// Package treereport decides what a presence report says about the tree below the node: nothing,
// the changes since the parent's revision, or the whole tree, possibly in pieces. The caller fills
// each report with a [Report] and passes the answer back. See ../../topology/DESIGN.md for the
// contents.
package treereport
