// Package mutants removes each protection from the program in turn and checks that
// its test fails: a test that passes without the protection it is named after shows
// nothing.
//
// A mutant is a text file NAME.txt beside this one:
//
//	protects: returns on their way to the parent
//	why: a row that was not accepted is sent again
//	test: ./syndic/returns TestWindow_GivenBack
//	at refused-rows-come-again: w.wait(s) => delete(w.rows, it.Seq)
//
// The name after "at" is a marker in the source, on the line before the statement,
// function, case, field or element that the mutant changes:
//
//	//mutant:refused-rows-come-again
//	w.wait(s)
//
// A marker stands once in the repository, in any file. It bears the name of its mutant,
// with -2, -3 … behind it for further places of the same one. Several mutants of one
// place share a line: //mutant:one,another. Each of these edits changes the marked node:
//
//	drop            removes it
//	drop 3          removes it and the two that follow
//	true            replaces the condition of an if, for or case; also false
//	negate          inverts that condition
//	return X        replaces a statement, or the body of a function
//	OLD => NEW      replaces text that stands once in the node; NEW may be empty
//	replace         puts the indented lines below in its place; also replace 3
//	before          puts the indented lines below before it
//	after           puts the indented lines below after it
//
// Edits are made in their order, so one inside a node that another edit changes comes
// first. Imports that nothing uses after the edits become blank; os, strings and the like
// need no import.
//
// The sources stay as they are: the go tool is given the changed files as an overlay. A
// test that runs processes of the program builds it with the overlay too, by GOFLAGS.
//
//	make mutants              # all of them
//	make mutants ONLY=cve     # those with "cve" in name, title or package
//
// Each mutant is killed (its test fails), survives, or is broken: it does not apply, does
// not compile, or its test does not exist. Anything but killed fails the run.
package mutants
