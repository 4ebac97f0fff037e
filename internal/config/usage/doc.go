// Package usage finds out which options of package config the program reads. It
// looks at the types of the source, not at names: a field Timeout of something
// else does not count, nor does a value that is only written.
package usage
