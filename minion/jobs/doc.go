// Package jobs runs the jobs of a minion: each once, however often and by however many masters
// it is published, and answers each.
//
// [Jobs.Take] starts a job that a [Master] has published for this minion, on a goroutine of its
// own; process_count_max bounds how many run at once. Running jobs are recorded in the
// directory proc, and started ones in the file jids. So after a restart no job runs again, and
// each that the minion left unfinished is reported as interrupted. With verify_top only jobs
// that the top has signed run, each once. The return goes to the masters through their
// outboxes, and to the returners that the job names.
package jobs
