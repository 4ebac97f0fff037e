// Package text edits texts line by line and block by block: what the functions line,
// replace, blockreplace and comment_line of the execution module file do, and the states
// of the same names. An engine takes a text and its options and gives an [Edit]; it reads
// and writes no file, so that a function, a state and a state's test mode do the same.
//
// Regular expressions are Python's ([Compile]). They are bounded: in length, and in how
// long one may search. The package promises Salt's results for texts in UTF-8; which
// lines an engine sees, and which line ends it knows, is said at each of them, as Salt
// differs there.
package text
