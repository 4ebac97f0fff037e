// Package grains collects what a minion knows of its host: operating system,
// hardware, network, its own version, and the static grains of the
// configuration.
//
// Facts are read from /proc, /sys and a few files under an injected root, so
// that no program is run and the package works in a container that holds
// nothing but the binary. Collection never waits on a name server longer than
// its deadline.
package grains
