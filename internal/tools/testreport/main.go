package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	t := newTally(os.Stdout)
	if err := t.read(os.Stdin); err != nil {
		fmt.Fprintf(os.Stderr, "testreport: %v\n", err)
		os.Exit(1)
	}
	if !t.close() && !t.again(context.Background(), os.Stdout, goTest) {
		os.Exit(1)
	}
}
