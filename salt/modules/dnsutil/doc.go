// Package dnsutil is the part of the execution module dnsutil that edits the hosts file.
package dnsutil
