// Command testreport reads `go test -json` and judges the run: quiet where all is well, the whole output of whatever failed,
// one line per package, and a closing line "N passed, N failed, N skipped". It exits with status 1 if a test
// failed, if a package did not build, if no test ran at all, and if a test was skipped: a skipped test
// proves nothing, so this project has none.
//
// It names the slowest tests, and the packages that took longer than their budget (budgets.txt).
//
// What failed in up to six packages is run once more, with the arguments of this command as flags of go test. If it
// passes then, the run counts as good, and the last line counts and names what passed only when it ran again: those
// tests are to be mended, but a busy machine does not hold up everything else.
package main
