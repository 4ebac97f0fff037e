// Package jobfiles lays the load of each job where Salt's own programs on the
// master's host look for it: the folder of the returner local_cache (Salt wire
// reference §13.2). Salt's command salt and its Python LocalClient read the load
// of the job they have just started and give up without it.
//
// Returns are not written here; they are in the job store alone. Folders older
// than keep_jobs_seconds are removed.
package jobfiles
