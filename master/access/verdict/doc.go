// Package verdict explains why somebody may or may not do something. A Verdict is a master's
// explanation of what its rules say about a call; it is sent to commands, which print it.
package verdict
