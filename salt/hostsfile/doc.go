// Package hostsfile edits the hosts file (/etc/hosts), as the execution module hosts and
// the state host do. It works on strings and opens no file. It keeps lines that it cannot
// parse and lines of other addresses, unless a function says that it rewrites the file as
// Salt does.
package hostsfile
