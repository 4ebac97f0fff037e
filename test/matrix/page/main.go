// Command page writes docs/compatibility.md, made of the worlds that package matrix played.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/momtree/mom/test/matrix"
)

func main() {
	file := flag.String("json", "test/matrix/testdata/matrix.json", "the figures")
	to := flag.String("o", "docs/compatibility.md", "the page")
	flag.Parse()
	r, err := matrix.Read(*file)
	if err == nil {
		err = os.WriteFile(*to, []byte(matrix.Page(r)), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "matrix page:", err)
		os.Exit(1)
	}
}
