// Package verdict is why somebody may do something or may not: the form in which a master
// explains what its rules say of a call, and in which the explanation travels to a command
// and is drawn.
package verdict
