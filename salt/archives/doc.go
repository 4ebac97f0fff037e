// Package archives lists and extracts tar and zip archives.
//
// Extraction stays below its folder: a member that points outside it, by its name or
// through a link, is an error.
package archives
