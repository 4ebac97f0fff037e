// Package origins knows what of jobs is between a node and the masters above it: which of
// them asked for a job and is owed its returns ([Origins]), which jobs came here with
// minions at work on them, so that anybody above may have asked ([Strangers]), and who
// has heard the end of a job ([Closings]).
//
// Masters above are known by their addresses. Who is given what when several are there is
// decided elsewhere (returns.Sharing).
package origins
