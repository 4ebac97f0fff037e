// Package versions reports the components of a program, in the form of Salt's versions report:
// sections of right-aligned names, and their versions.
package versions
