package callargs

import "strings"

// Groups splits the words of a compound call into one group for each of the n functions. A
// separator is a separate word. If there are too few, separators inside words count too.
func Groups(words []string, n int, separator string) [][]string {
	alone := 0
	for _, w := range words {
		if w == separator {
			alone++
		}
	}
	groups := [][]string{nil}
	for _, w := range words {
		parts := []string{w}
		switch {
		case alone == n-1 && w == separator:
			parts = []string{"", ""}
		case alone != n-1 && separator != "":
			parts = strings.Split(w, separator)
		}
		for i, p := range parts {
			if i > 0 {
				groups = append(groups, nil)
			}
			if p != "" || len(parts) == 1 {
				groups[len(groups)-1] = append(groups[len(groups)-1], p)
			}
		}
	}
	return groups
}
