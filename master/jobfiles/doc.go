// Package jobfiles writes the load of each job where Salt's programs on the master's host read it:
// the folder of the returner local_cache. Salt's command salt and its Python LocalClient read the
// load of a job they have started, and fail without it.
//
// Folders older than keep_jobs_seconds are removed.
package jobfiles
