// Package vectors holds the golden files: bytes recorded from running Salt (3006.0 with request
// protocol 2, the 3006 branch of July 2026 with protocol 3, and 3008.2) and results of its own
// library for given inputs. This program computed none of it. Byte strings are base64. In
// decoded values, a byte string that is not UTF-8 is {"$b64": …} and a map with keys that are
// not strings is {"$map": [[k, v], …]}.
//
// The RSA keys in them were made for these files only and are public.
//
// Only tests import this package.
package vectors
