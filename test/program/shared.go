package program

import (
	"os"
	"path/filepath"
	"strings"
)

// `make test` builds the programs once, before all tests. It names their folder in the
// variable sharedDir. The variable sharedSum is their checksum: go test keeps the results
// of a package while the variables that its tests read stay the same.
const (
	sharedDir = "MOM_TEST_PROGRAMS"
	sharedSum = "MOM_TEST_PROGRAMS_SUM"
)

// Shared returns the path of a program that was built before the tests, mom or momlab. It
// returns "" if the test has to build it. A mutant is never shared: GOFLAGS names the
// files that it changes.
func Shared(name string) string {
	dir := os.Getenv(sharedDir)
	if dir == "" || os.Getenv(sharedSum) == "" || strings.Contains(os.Getenv("GOFLAGS"), "-overlay") {
		return ""
	}
	file := filepath.Join(dir, name)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}
