// Package process identifies processes and records what this one works on.
//
// An [Identity] on disk tells whether its process still runs. A bare pid does not: the kernel
// reuses numbers, gives threads numbers from the same range, and starts again at 1 in a restarted
// container. [BeginWork] and [CurrentWork] name what holds up a shutdown.
package process
