// Package difflib compares texts line by line and writes the difference as Python's
// difflib does (unified_diff), which is what Salt shows of a changed file. It promises
// the same hunks for the same lines, the rule for very frequent lines included.
package difflib
