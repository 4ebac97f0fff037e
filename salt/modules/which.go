package modules

import "os"

// Which returns the full path of a program as the functions here find it, or "".
func Which(name string) string { return which(name) }

// which returns the full path of a program, or "". A name that is itself a path to a
// program is returned unchanged.
func which(name string) string { return whichIn(name, os.Getenv("PATH")) }
