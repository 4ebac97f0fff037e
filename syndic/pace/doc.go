// Package pace holds the intervals and timeouts of a forwarder ([Pace]), its retry waits
// ([Backoff]), and the signal that ends a wait early ([Signal]).
package pace
