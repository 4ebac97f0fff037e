// Package returnertest is the test every job store has to pass, whatever it
// keeps its rows in. A driver calls Run from a test of its own; the helpers
// make rows as masters store them.
package returnertest
