// Command mutants takes each protection out of the program in turn and sees
// whether its test fails: a test that passes without what it is named after shows
// nothing.
//
// A mutant is a text file beside this one, ROW-short-name.txt:
//
//	row: A1
//	why: a row given back is sent again
//	test: ./syndic/forwarding TestWindow_GivenBack
//	file: syndic/forwarding/window.go
//	-- old --
//		w.next = min(w.next, row)
//	-- new --
//		_ = row
//	-- end --
//
// Old has to stand exactly once in the file; there may be several groups of file, old
// and new. The sources stay as they are: the go tool is given the changed files as an
// overlay. A test that runs processes of the program builds it with the overlay as
// well, by GOFLAGS.
//
//	make mutants            # all of them
//	make mutants ONLY=S1    # those whose file's name begins so
//
// Each mutant is killed (its test fails), survives, or is broken: it does not apply,
// does not compile, or its test does not exist. Anything but killed fails the run.
package mutants
