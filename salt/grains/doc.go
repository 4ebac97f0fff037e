// Package grains collects facts about the minion's host: operating system, hardware,
// network, its own version, and the static grains of the configuration.
//
// Facts are read from /proc, /sys and a few files under an injected root. No program is
// run, so the package works in a container with nothing but the binary. Collection never
// waits for a name server longer than its deadline.
package grains
