// Package temp is the execution module temp: files and folders with a name of their own.
package temp
