// Package versions tells what a program is made of, in the form of Salt's
// versions report: sections of names, flush right, and their versions.
package versions
