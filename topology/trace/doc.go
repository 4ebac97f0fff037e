// Package trace has where a job is: per node when it was received, published, answered and
// closed, what is still owed of it, and whom it waits for now.
//
// The steps of the nodes below hang under their parent's, so the answer to one question at
// the top is the whole way of the job. A client asks for it; package tracer of the master
// finds it out.
package trace
