// Package runnerenv is what the functions of a master are given of it: runners, the
// templates of its own files, orchestrations. [Service] has the parts of the master, an
// [Env] is a view of them for the calls of one user.
package runnerenv
