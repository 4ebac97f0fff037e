// Package cluster connects the tops of one cluster. Each top keeps a link to every other one, over
// the encrypted channel of the request port, and passes requests over it. The key of another top
// counts only if an operator has admitted it (`mom node admit --top`).
//
//	service.go  the service and the commands of the other tops
//	link.go     the link to one other top: hello, state
//	lane.go     requests that wait for a link
//	leader.go   which top runs scheduled jobs and reactions
//	keysync.go  keys and admissions are the same at all tops; record.go, keyscommand.go
//	lookup.go   questions about jobs; reader.go merges the answers, lookupcommand.go answers
package cluster
