// Package runnerenv is the interface to a master for its functions: runners, templates of its own
// files, and orchestrations. A [Service] holds the parts of the master; an [Env] is its view for
// the calls of one user.
package runnerenv
