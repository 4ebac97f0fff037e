// Package memory is a job store without a disk, for simulations and tests.
//
// It keeps every promise of the embedded store but durability: what is new, which
// outbox rows are written, their order and size, and what a clean-up leaves are
// the same, and the same tests say so. It is made for many small rows: a return
// costs about 80 bytes beside its id and its load. No configuration leads to it.
package memory
