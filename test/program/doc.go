// Package program builds the command mom for those that play trees of real processes.
package program
