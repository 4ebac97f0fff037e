// Package crypt implements the cryptography of Salt's wire protocol: RSA key files and the four
// primitives over them (X9.31 "private encrypt", OAEP, PKCS#1 v1.5 signatures, PEM
// fingerprints), and Crypticle, the AES-192-CBC + HMAC-SHA256 frame of every encrypted load.
//
// It guarantees bytes that Salt accepts, constant-time comparison of every secret, and
// authentication before decryption. Key files are never visible half written, or with a wider
// mode than requested. Errors describe the fault without printing key material. Sources: Salt
// wire reference §5 and §7.
package crypt
