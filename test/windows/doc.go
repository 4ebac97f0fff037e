// Package windows holds a test of the program for Windows: a minion under Wine with a master of
// this system.
package windows
