// Package pyre matches texts as Python's re.match does.
//
// A pattern is read by the grammar of Python 3.11, so what is an error there is an
// error here. A [Regexp] answers one question: does the pattern match at the start of
// a text? It runs on Go's engine, in linear time, where the pattern is regular, and
// else by backtracking with a bound on the steps; a text for which the bound is
// reached is answered by neither yes nor no.
//
//	parse.go, group.go, escape.go, class.go  from the text to a tree
//	width.go                                 the fixed width of a look-behind
//	fold.go                                  letters that are one without regard to case
//	emit.go                                  from the tree to Go's syntax
//	match.go, repeat.go                      backtracking over the tree
//
// Not accepted are \N{NAME}, the possessive repetition of a group, which versions of
// Python read differently, and patterns that nest more than 200 deep.
package pyre
