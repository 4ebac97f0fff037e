// Package channeltest provides a master for tests. It signs identities in, decrypts their
// requests, answers and publishes, over real sockets on loopback and with real cryptography. A
// test can alter any answer.
package channeltest
