// Package trace tells where a job is: per node when it was received, published,
// answered and closed, what is still owed of it, and whom it waits for now.
//
// A [Book] keeps the moments of a node's latest jobs in memory; the rest of a
// [Step] is read when somebody asks. The steps of the nodes below hang under
// their parent's, so the answer to one question at the top is the whole way of
// the job. A book is bounded, and noting a return costs the same however many
// jobs, minions or nodes there are.
package trace
