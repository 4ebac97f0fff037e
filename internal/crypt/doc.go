// Package crypt holds the cryptography Salt's wire is made of: RSA key files and
// the four primitives over them (X9.31 "private encrypt", OAEP, PKCS#1 v1.5
// signatures, PEM fingerprints), and Crypticle, the AES-192-CBC + HMAC-SHA256
// frame every encrypted load travels in.
//
// It promises bytes that Salt accepts, constant-time comparison of every
// secret, authentication before decryption, key files that are never seen half
// written nor with a wider mode than meant, and errors that name what is wrong
// without printing key material. Sources: Salt wire reference §5 and §7.
package crypt
