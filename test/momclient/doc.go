// Package momclient tests the program in client/example, which is a module of its own: it
// is built as another module's program is, and run where a master runs.
package momclient
