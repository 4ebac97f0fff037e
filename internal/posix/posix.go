package posix

import "errors"

// ErrLocked means that another process has locked a file.
var ErrLocked = errors.New("locked by another process")

// Names are the names of the system as uname returns them. On Windows, System is "Windows",
// Release is that of Python's platform.release ("10", "2019Server") and Version has the form
// "10.0.17763".
type Names struct{ System, Node, Release, Version, Machine string }
