// Package hashutil is the execution module hashutil: digests and encodings.
package hashutil
