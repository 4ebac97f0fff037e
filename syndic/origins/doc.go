// Package origins records what parents know and need of this node's jobs: which parents requested a
// job and get its returns ([Origins]), which jobs arrived with minions without a request, so that
// any parent may wait for them ([Unrequested]), and which parents have accepted the end of a job
// ([Closings]).
//
// Parents are identified by their addresses. returns.Sharing decides which of several parents gets
// a return.
package origins
