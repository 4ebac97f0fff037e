// Package process identifies processes and records the activities of this one.
//
// An [Identity] on disk shows whether its process still runs. A bare pid does not: the kernel
// reuses numbers, gives threads numbers from the same range, and starts again at 1 in a
// restarted container. [BeginWork] and [CurrentWork] show what delays a shutdown.
package process
