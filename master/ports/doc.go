// Package ports binds the two ports of a master: on one it publishes, on the other it takes
// requests. It says how many connections there may be, from what the options, the limit of
// open files and the accepted keys say, and what a connection may cost.
package ports
