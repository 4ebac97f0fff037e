// Package link implements the connection to one parent.
//
// A [Link] signs in and keeps the subscription. After each connect, soon after each change of the
// tree, and at a fixed interval it reports this node's presence and the tree below. The link is up
// when the parent has accepted the first report. Requests to the parent go through the link, with
// an adaptive timeout. It also records how long the parent has been usable or gone, which decides
// how parents share returns.
//
//	link.go       whether the parent is usable, and requests
//	timeouts.go   adaptive timeouts of requests
//	subscribe.go  sign-in and subscription, renewed when it leads nowhere
//	announce.go   announcement and presence reports
//	verdict.go    what an answer means
package link
