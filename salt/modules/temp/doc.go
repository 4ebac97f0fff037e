// Package temp is the execution module temp: files and folders with unique names.
package temp
