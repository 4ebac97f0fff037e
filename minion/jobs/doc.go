// Package jobs runs the jobs of a minion: each once, however often and by however
// many masters it is published, and each answered.
//
// [Jobs.Take] starts a job that a [Master] has published for this minion, on a
// goroutine of its own; process_count_max bounds how many work at once. What runs
// is noted in the folder proc, and what has begun in the diary, so that after a
// restart no job runs again and each that the minion did not live to answer is
// reported as interrupted. With verify_top only what the top has signed runs, once.
// The return goes to the masters by their outboxes, and to the returners that the
// job names.
package jobs
