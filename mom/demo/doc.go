// Package demo is the command mom demo. It shows the product to a newcomer: it starts a tree of real processes
// on one machine, works with it, breaks it, and reports what it sees.
package demo
