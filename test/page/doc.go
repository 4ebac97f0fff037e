// Package page looks at the live page of a tree as its readers do: in a real browser
// (Chromium), at the real API, above a tree of real processes, or above a master that
// plays 100,000 minions.
//
// Its tests find what they press and read by its accessible name, in the tree that a
// screen reader gets. None sleeps: each waits until the page says what it has to say.
//
// `make screenshots` has the same tests' page drawn into docs/guide/images.
package page
