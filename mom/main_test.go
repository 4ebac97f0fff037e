package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs the tests, or, called by one of the program's names, the program
// itself: so the daemons of a tree and interrupted commands are processes of this
// very test binary.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); name == "mom" || name == "salt" || strings.HasPrefix(name, "salt-") {
		os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
	}
	code := m.Run()
	if err := commonTree.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
