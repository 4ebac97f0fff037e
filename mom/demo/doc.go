// Package demo is the command mom demo. It shows the product to a newcomer: it grows a tree of real processes
// on one machine, works with it, breaks it, and tells what it sees.
package demo
