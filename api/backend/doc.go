// Package backend has the masters behind the REST API: [Local] asks one on this host, and [Gateway]
// the API of one on another host.
package backend
