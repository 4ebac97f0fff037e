// Package chaos breaks a tree of real processes on purpose and looks whether
// its promises hold.
//
// A [World] is two top masters, two nodes below both, a node below each of
// these, minions, and a MariaDB. Every process is a station of a network of its
// own: a network namespace whose packets pass through this package, or, where
// namespaces are not permitted, an address of 127.0.0.0/8 behind proxies. A
// [Schedule] says, for a seed, which jobs are published when and which faults
// begin and end when. [World.Round] plays it, heals everything, waits until the
// tree has settled and checks what must be true then (check.go).
//
// The schedule is a function of the seed alone. What happens then is not: the
// processes, the kernel and the packets keep their own time.
package chaos
