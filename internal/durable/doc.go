// Package durable makes what was written outlive a loss of power, at the price of one
// sync for all who wait for it at a time.
package durable
