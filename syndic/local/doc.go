// Package local is the master beside a forwarder, as the forwarder sees it: a master of
// ours in the same process, or one that is a program of its own (package standalone).
package local
