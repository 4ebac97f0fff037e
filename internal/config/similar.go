package config

import "slices"

// Similar returns the name with the fewest typing errors (letters changed, added, left out,
// swapped), or "" if none has few enough. It does not modify names.
func Similar(name string, names []string) string {
	best, limit := "", min(3, max(1, len(name)/3))
	for _, n := range slices.Sorted(slices.Values(names)) {
		if d := distance(name, n, limit); d <= limit && n != name {
			best, limit = n, d-1
		}
	}
	return best
}

// distance returns the optimal string alignment distance, or limit+1 if it is above limit.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit || len(a) > 200 {
		return limit + 1
	}
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
