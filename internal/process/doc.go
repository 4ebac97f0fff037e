// Package process tells whether a process that was recorded on disk still runs. A bare
// pid does not: the kernel reuses numbers, gives threads numbers from the same range,
// and starts again at 1 in a restarted container.
package process
