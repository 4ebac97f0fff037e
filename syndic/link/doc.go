// Package link is the connection to one master above.
//
// A [Link] signs in, keeps the subscription, and tells the parent after each connect, soon
// after each change of the tree, and now and then who subscribes and what the tree below
// looks like; when the parent has taken that greeting the link is up. Requests to the
// parent go through it, with a patience that grows, and it knows how long the parent has
// been usable or gone, by which the returns are shared among several.
//
//	link.go       whether the parent is usable, and requests
//	subscribe.go  sign-in and subscription, made anew when they lead nowhere
//	announce.go   the greeting and the reports of presence
package link
