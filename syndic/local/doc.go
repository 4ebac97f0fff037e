// Package local defines the master beside a forwarder: a mom master in the same process, or another
// program's (package standalone).
package local
