// Package top is the command mom top: the jobs in flight at the master of this machine,
// on the screen or once (work.go).
package top
