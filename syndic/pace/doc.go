// Package pace holds the waits of a forwarder: how long it waits for what ([Pace]), how
// waits grow while something fails ([Backoff]), and the signal that ends one early
// ([Ring]).
package pace
