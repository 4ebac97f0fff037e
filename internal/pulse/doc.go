// Package pulse has a daemon answer on its own event bus how it is, which is what the
// command mom health asks.
package pulse
