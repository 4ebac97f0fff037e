// Package returnertest is the test suite for job stores. A driver calls Run from its own
// test. The helpers build rows as masters store them.
package returnertest
