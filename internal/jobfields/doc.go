// Package jobfields writes and reads the fields that mom adds to a publication: the signature of the
// top ([Sign]) and the target of which a master made a list ([Narrow]).
package jobfields
