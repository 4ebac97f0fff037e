// Package hashtype knows the hashes that Salt's option hash_type names.
package hashtype
