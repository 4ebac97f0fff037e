// Package channeltest is a master for tests: it signs identities in, decrypts
// their requests, answers and publishes, over real sockets on loopback and with
// real cryptography, and lets a test spoil any answer.
package channeltest
