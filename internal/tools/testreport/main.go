package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	budget, err := budgets(budgetFile)
	if err != nil {
		fmt.Fprintf(os.Stderr, "testreport: %v\n", err)
		os.Exit(1)
	}
	t := newTally(os.Stdout)
	if err := t.read(os.Stdin); err != nil {
		fmt.Fprintf(os.Stderr, "testreport: %v\n", err)
		os.Exit(1)
	}
	t.times(os.Stdout, budget)
	if !t.close() && !t.again(context.Background(), os.Stdout, os.Args[1:], goTest) {
		os.Exit(1)
	}
}
