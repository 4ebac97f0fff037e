// Package saltenv says what the name of an environment may be, whoever sends it: it becomes
// a part of paths and lists on a master, and what is kept there is found by it.
package saltenv
