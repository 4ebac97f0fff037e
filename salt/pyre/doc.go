// Package pyre matches texts as Python's re.match does.
//
// A pattern is parsed by the grammar of Python 3.11, so what is an error there is an error
// here. A [Regexp] answers one question: does the pattern match at the start of a text? A
// regular pattern runs on Go's engine in linear time. Any other pattern runs by backtracking
// with a limit on the steps; at the limit the answer is unknown.
//
//	parse.go, group.go, escape.go, class.go  from the text to a tree
//	width.go                                 the fixed width of a look-behind
//	fold.go                                  letters that are equal without regard to case
//	emit.go                                  from the tree to Go's syntax
//	match.go, repeat.go                      backtracking over the tree
//
// Not accepted are \N{NAME}, the possessive repetition of a group, which versions of
// Python read differently, and patterns that nest more than 200 deep.
package pyre
