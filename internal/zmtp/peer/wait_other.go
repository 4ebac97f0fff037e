//go:build !unix

package peer

func reader(c stream) fillFunc { return plainReader(c) }
