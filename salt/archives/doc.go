// Package archives lists and extracts tar and zip archives.
//
// Extraction stays below its folder: a member that leads out of it, by its name or
// through a link, is an error.
package archives
