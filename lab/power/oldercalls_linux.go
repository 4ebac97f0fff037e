//go:build !amd64

package power

func olderCalls() {} // this kind of machine has the newer ones alone
