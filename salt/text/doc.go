// Package text edits texts by lines and blocks, as line, replace, blockreplace and
// comment_line of the execution module file, and the states of the same names. Each
// function takes a text and options and returns an [Edit]. It does no I/O, so that a
// function, a state and a state's test mode give the same result.
//
// Regular expressions are Python's ([Compile]), bounded in length and search time. For
// texts in UTF-8 the results are Salt's. Each function documents its line ends, since they
// differ in Salt.
package text
