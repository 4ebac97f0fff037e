// Systems checks the types of packages for other operating systems, from their source: what
// is not defined there, and files that no or two build constraints choose. It compiles
// nothing, so it takes seconds where a build of everything takes minutes; assembly and the
// linker are not checked.
//
// Usage: systems linux/arm64,windows/amd64 PACKAGES
package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: systems SYSTEM/ARCH[,SYSTEM/ARCH…] PACKAGES")
		os.Exit(2)
	}
	bad := false
	for _, system := range strings.Split(os.Args[1], ",") {
		began := time.Now()
		faults, checked, err := check(system, os.Args[2:])
		for _, f := range faults {
			fmt.Printf("%s: %v\n", system, f)
		}
		if err != nil {
			fmt.Printf("%s: %v\n", system, err)
		}
		bad = bad || err != nil || len(faults) > 0
		fmt.Printf("%s: %d packages, %d faults, %.1f s\n", system, checked, len(faults), time.Since(began).Seconds())
	}
	if bad {
		os.Exit(1)
	}
}
