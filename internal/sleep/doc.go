// Package sleep is time.Sleep that a context can end.
package sleep
