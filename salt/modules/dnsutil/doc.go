// Package dnsutil is the execution module dnsutil, as far as it edits the hosts file.
package dnsutil
