// Package memory is a job store without a disk, for simulations and tests.
//
// It keeps every promise of the embedded store except durability: what is new, which outbox
// rows are written, their order and size, and what Clean removes are the same. The same
// tests check both. It is optimized for many small rows: a return costs about 80 bytes
// besides its id and its load. It cannot be selected in the configuration.
package memory
