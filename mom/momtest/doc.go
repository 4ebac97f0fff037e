// Package momtest helps tests that run commands: a TestMain for packages that need
// the built program, command lines run in the process of the test, and trees whose
// members are processes of the program.
package momtest
