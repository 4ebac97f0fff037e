package main

import (
	"fmt"
	"os"
)

func main() {
	t := newTally(os.Stdout)
	if err := t.read(os.Stdin); err != nil {
		fmt.Fprintf(os.Stderr, "tally: %v\n", err)
		os.Exit(1)
	}
	if !t.close() {
		os.Exit(1)
	}
}
