// Package vectors holds the golden files: bytes recorded from running Salt (3006.0
// with request protocol 2, the 3006 branch of July 2026 with protocol 3, and 3008.2) and
// what its own library makes of given input. Nothing in them was computed by this
// program. Byte strings are base64; in decoded values one that is no UTF-8 is
// {"$b64": …} and a map with other keys than texts is {"$map": [[k, v], …]}.
//
// The RSA keys in them were made for these files alone and are known to everybody.
//
// Only tests import this package.
package vectors
